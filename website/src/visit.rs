//! One request to the site, with what it needs to answer it.

use std::sync::Arc;

use axum::{extract::Request, response::Response};
use edge::{
    Context, Core, Problem,
    http::{Operation, Resource},
};
use http::{Method, Uri, request::Parts};
use muster_api::{Reason, binding::Rpc};
use percent_encoding::percent_decode_str;

use crate::{
    Options,
    form::{self, Form},
};

/// The site: core, which it asks, and its options.
#[derive(Clone)]
pub(crate) struct Site {
    core: Core,
    options: Arc<Options>,
}

/// A request.
pub(crate) struct Visit {
    pub(crate) site: Site,
    pub(crate) parts: Parts,
    context: Context,
}

impl Site {
    pub(crate) fn new(core: Core, options: Options) -> Self {
        let options = Arc::new(options);
        Self { core, options }
    }

    /// The absolute URL of a path.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("{}{path}", self.options.public_url)
    }

    pub(crate) fn options(&self) -> &Options {
        &self.options
    }

    fn visit(&self, parts: Parts) -> Visit {
        Visit {
            site: self.clone(),
            context: self.options.calls.context(&parts),
            parts,
        }
    }

    /// A path with a page.
    pub(crate) fn page<F>(&self, path: &'static str, show: fn(Visit) -> F) -> Resource
    where
        F: Future<Output = Result<Response, Problem>> + Send + 'static,
    {
        Resource::new(path).with(self.get(show))
    }

    /// A path with a page that has a form, which is sent to the same path.
    pub(crate) fn page_with_form<F, G>(
        &self,
        path: &'static str,
        show: fn(Visit) -> F,
        take: fn(Visit, Form) -> G,
    ) -> Resource
    where
        F: Future<Output = Result<Response, Problem>> + Send + 'static,
        G: Future<Output = Result<Response, Problem>> + Send + 'static,
    {
        self.page(path, show).with(self.post(take))
    }

    /// A path that only takes a form.
    pub(crate) fn form<F>(&self, path: &'static str, take: fn(Visit, Form) -> F) -> Resource
    where
        F: Future<Output = Result<Response, Problem>> + Send + 'static,
    {
        Resource::new(path).with(self.post(take))
    }

    fn get<F>(&self, show: fn(Visit) -> F) -> Operation
    where
        F: Future<Output = Result<Response, Problem>> + Send + 'static,
    {
        let site = self.clone();
        Operation::new(Method::GET, move |request: Request| {
            let (parts, _body) = request.into_parts();
            show(site.visit(parts))
        })
    }

    fn post<F>(&self, take: fn(Visit, Form) -> F) -> Operation
    where
        F: Future<Output = Result<Response, Problem>> + Send + 'static,
    {
        let site = self.clone();
        Operation::new(Method::POST, move |request: Request| {
            let (parts, body) = request.into_parts();
            let visit = site.visit(parts);
            async move {
                let options = visit.site.options();
                let deadline = visit.context.deadline();
                let form = form::read(options, &visit.parts, body, deadline).await?;
                take(visit, form).await
            }
        })
    }
}

impl Visit {
    /// Asks core.
    ///
    /// # Errors
    /// Core's refusal, or that it cannot be reached.
    pub(crate) async fn ask<R: Rpc>(&self, request: R::Request) -> Result<R::Response, Problem> {
        let asked = self.site.core.call::<R>(request, &self.context).await;
        match asked {
            Ok((answer, _metadata)) => Ok(answer),
            Err(status) => Err(Problem::from(&status)),
        }
    }

    /// The same request with its whole time for core again, for an answer that is sent while it is read.
    pub(crate) fn continued(self) -> Self {
        self.site.clone().visit(self.parts)
    }

    /// The decoded segment of the path at a place, from 0.
    ///
    /// # Errors
    /// Not found, if it is no text.
    pub(crate) fn segment(&self, place: usize) -> Result<String, Problem> {
        segment(&self.parts.uri, place).ok_or_else(|| {
            let message = "nothing is at this path: it is not UTF-8";
            Problem::new(Reason::NotFound, message)
        })
    }

    /// The parameters of the query.
    pub(crate) fn query(&self) -> Form {
        Form::parse(self.parts.uri.query().unwrap_or_default().as_bytes())
    }
}

fn segment(uri: &Uri, place: usize) -> Option<String> {
    let segment = uri.path().split('/').nth(place + 1)?;
    let decoded = percent_decode_str(segment).decode_utf8().ok()?;
    Some(decoded.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_are_decoded_one_by_one() {
        let uri = Uri::from_static("/registrations/a%2Fb%20c/cancel?x=/y");
        assert_eq!(segment(&uri, 1).as_deref(), Some("a/b c"));
        assert_eq!(segment(&uri, 2).as_deref(), Some("cancel"));
        assert_eq!(segment(&uri, 3), None);
        assert_eq!(segment(&Uri::from_static("/a/%ff"), 1), None);
    }
}
