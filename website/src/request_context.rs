//! One request to the site, with what it needs to answer it.

use std::sync::Arc;

use axum::{body::Body, extract::Request};
use bytes::Bytes;
use http::{Method, Uri, request::Parts};
use http_kit::{CachedAnswer, Operation, Problem};
use muster_api::{
    Reason,
    binding::Rpc,
    http_body::HttpBody,
    internal::v1::{GetInstanceRequest, bindings::GetInstance},
    reference::of_instance,
};
use percent_encoding::percent_decode_str;
use rpc_client::{Context, Core, EncodedRequest, File};
use server::{brand::SiteName, settings::usual_grpc_url};

use crate::{
    Options,
    assets::Assets,
    cookies::SESSION,
    form::{self, Form},
    layout::{Links, PageResult},
    look::Look,
};

/// The site: core, which it asks, and its options.
#[derive(Clone)]
pub(crate) struct Site {
    core: Core,
    options: Arc<Options>,
    instance: CachedAnswer<GetInstance>,
    look: Arc<Look>,
    assets: Arc<Assets>,
}

/// A request. Its calls have the visitor's session as their credential, and no other one that the request may carry.
#[derive(Clone)]
pub(crate) struct RequestContext {
    pub(crate) site: Site,
    pub(crate) parts: Parts,
    has_session: bool,
    call: Context,
}

impl Site {
    pub(crate) fn new(core: Core, options: Options) -> Self {
        Self {
            instance: CachedAnswer::new(core.clone()),
            assets: Arc::new(Assets::new(&options.look)),
            look: Arc::new(options.look.clone()),
            core,
            options: Arc::new(options),
        }
    }

    /// The absolute URL of a path.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("{}{path}", self.options.public_url)
    }

    /// The public URL, without a slash at its end.
    pub(crate) fn public_url(&self) -> &str {
        &self.options.public_url
    }

    /// A text of the documents with the addresses of this instance.
    pub(crate) fn addressed(&self, text: &str) -> String {
        let public_url = self.public_url();
        match &self.options.grpc_url {
            Some(grpc_url) => of_instance(text, public_url, grpc_url),
            None => of_instance(text, public_url, &usual_grpc_url(public_url)),
        }
    }

    /// The client of core.
    pub(crate) fn core(&self) -> Core {
        self.core.clone()
    }

    pub(crate) fn options(&self) -> &Options {
        &self.options
    }

    /// Whether browsers reach it over https.
    pub(crate) fn is_secure(&self) -> bool {
        self.options.public_url.starts_with("https://")
    }

    /// What this installation's operator set for its pages, as far as it is known.
    pub(crate) fn links(&self) -> Links {
        Links {
            instance: self.instance.last("").unwrap_or_default(),
            look: Arc::clone(&self.look),
            assets: Arc::clone(&self.assets),
            preview_url: self.url(self.assets.preview_path()),
        }
    }

    /// What the site is called.
    pub(crate) fn name(&self) -> &SiteName {
        self.look.name()
    }

    /// Whether the mark of the software stands for it.
    pub(crate) fn has_usual_mark(&self) -> bool {
        self.look.has_usual_mark()
    }

    /// Its static files.
    pub(crate) fn assets(&self) -> &Assets {
        &self.assets
    }

    async fn context(&self, parts: Parts) -> RequestContext {
        self.instance.get("", GetInstanceRequest::default).await;
        self.context_now(parts)
    }

    fn context_now(&self, parts: Parts) -> RequestContext {
        let session = SESSION.read(&parts.headers, self.is_secure());
        let call = self.options.calls.context(&parts);
        RequestContext {
            site: self.clone(),
            has_session: session.is_some(),
            call: call.with_token(session.as_deref()),
            parts,
        }
    }

    /// An operation of a method, with the request's context and its unread body.
    pub(crate) fn operation<F>(
        &self,
        method: Method,
        handle: impl Fn(RequestContext, Body) -> F + Copy + Send + Sync + 'static,
    ) -> Operation
    where
        F: Future<Output = PageResult> + Send + 'static,
    {
        let site = self.clone();
        Operation::new(method, move |request: Request| {
            let (parts, body) = request.into_parts();
            let site = site.clone();
            async move { handle(site.context(parts).await, body).await }
        })
    }

    /// An operation that shows a page.
    pub(crate) fn get<F>(&self, show: fn(RequestContext) -> F) -> Operation
    where
        F: Future<Output = PageResult> + Send + 'static,
    {
        self.operation(Method::GET, move |context, _body| show(context))
    }

    /// An operation that takes a form.
    pub(crate) fn post<F>(&self, take: fn(RequestContext, Form) -> F) -> Operation
    where
        F: Future<Output = PageResult> + Send + 'static,
    {
        self.operation(Method::POST, move |context, body| async move {
            let form = context.form(body).await?;
            take(context, form).await
        })
    }
}

impl RequestContext {
    /// Asks core.
    ///
    /// # Errors
    /// Core's refusal, or that it cannot be reached.
    pub(crate) async fn ask<R: Rpc>(&self, request: R::Request) -> Result<R::Response, Problem> {
        self.ask_once::<R>(request, None).await
    }

    /// Asks core for something that it does once, however often a form with this key is sent.
    ///
    /// # Errors
    /// As [`RequestContext::ask`].
    pub(crate) async fn ask_once<R: Rpc>(
        &self,
        request: R::Request,
        key: Option<&str>,
    ) -> Result<R::Response, Problem> {
        let call = key.map(|key| self.call.clone().with_idempotency_key(key));
        let call = call.as_ref().unwrap_or(&self.call);
        match self.site.core.call::<R>(request, call).await {
            Ok((answer, _metadata)) => Ok(answer),
            Err(status) => Err(Problem::from(&status)),
        }
    }

    /// The same request with its whole time for core again, for an answer that is sent while it is read.
    pub(crate) fn continued(self) -> Self {
        self.site.clone().context_now(self.parts)
    }

    /// Asks core for a file, piece by piece.
    ///
    /// # Errors
    /// As [`RequestContext::ask`].
    pub(crate) async fn file<R: Rpc>(&self, request: R::Request) -> Result<File, Problem> {
        let request = EncodedRequest::new::<R>(&request);
        let file = self.site.core.file(request, &self.call).await;
        file.map_err(|status| Problem::from(&status))
    }

    /// Reads the form of the request, which a page of this site must have sent.
    ///
    /// # Errors
    /// As [`form::read`].
    pub(crate) async fn form(&self, body: Body) -> Result<Form, Problem> {
        let options = self.site.options();
        form::read(options, &self.parts, body, self.call.deadline()).await
    }

    /// Reads a form with a file: its field, and the largest size.
    ///
    /// # Errors
    /// As [`form::read`].
    pub(crate) async fn form_with_file(
        &self,
        body: Body,
        file: (&str, usize),
    ) -> Result<(Form, Option<HttpBody>), Problem> {
        let options = self.site.options();
        form::read_with_file(options, &self.parts, body, file, self.call.deadline()).await
    }

    /// Reads the body of a request that is no form of this site.
    ///
    /// # Errors
    /// As [`http_kit::CallOptions::read_body`].
    pub(crate) async fn body(&self, body: Body) -> Result<Bytes, Problem> {
        let calls = &self.site.options().calls;
        calls
            .read_body(&self.parts, body, self.call.deadline())
            .await
    }

    /// Whether the browser sent a session, good or bad.
    pub(crate) const fn has_session(&self) -> bool {
        self.has_session
    }

    /// Path and query, to come back to.
    pub(crate) fn here(&self) -> &str {
        let path = self.parts.uri.path_and_query();
        path.map_or("/", |path| path.as_str())
    }

    /// The decoded segment of the path at an index, from 0.
    ///
    /// # Errors
    /// Not found, if it is no text.
    pub(crate) fn segment(&self, index: usize) -> Result<String, Problem> {
        segment(&self.parts.uri, index).ok_or_else(|| {
            let message = "nothing is at this path: it is not UTF-8";
            Problem::new(Reason::NotFound, message)
        })
    }

    /// The parameters of the query.
    pub(crate) fn query(&self) -> Form {
        Form::parse(self.parts.uri.query().unwrap_or_default().as_bytes())
    }
}

fn segment(uri: &Uri, index: usize) -> Option<String> {
    let segment = uri.path().split('/').nth(index + 1)?;
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
