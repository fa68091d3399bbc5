//! The account's owner, signed in with a browser.

use anyhow::{Context as _, ensure};
use bytes::Bytes;
use http::{
    HeaderValue, Request, StatusCode, Uri,
    header::{CONTENT_TYPE, COOKIE, SET_COOKIE},
    request::Builder,
};
use http_body_util::Full;
use programs::Programs;

use crate::{
    deployed::{Deployment, OWNER, Surface},
    pages::page,
};

/// By which the page that asks for a code knows to which address it went.
const CODE_COOKIE: &str = "muster-sign-in=new%40example%2Eorg";

/// What the browser sends with every request.
pub(super) struct Owner {
    cookies: HeaderValue,
}

impl Owner {
    /// Signs in with a link that an operator printed.
    pub(super) async fn sign_in(
        programs: &Programs,
        deployment: &Deployment,
        site: &Surface,
    ) -> anyhow::Result<Self> {
        let url = deployment.admin(programs, &["account", "sign-in-link", "--email", OWNER])?;
        let link: Uri = url.parse()?;
        let form = Request::post(link.path())
            .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
            .header("sec-fetch-site", "same-origin")
            .body(Full::default())?;
        let answer = site.client().await?.send(form).await?;
        ensure!(answer.status == StatusCode::SEE_OTHER, "{answer:?}");
        let mut cookies = vec![CODE_COOKIE];
        for cookie in answer.headers.get_all(SET_COOKIE) {
            let pair = cookie.to_str()?.split(';').next();
            let pair = pair.context("a cookie has a name and a value")?;
            cookies.extend(pair.starts_with("muster-session=").then_some(pair));
        }
        ensure!(cookies.len() == 2, "{answer:?}");
        let cookies = cookies.join("; ").parse()?;
        Ok(Self { cookies })
    }

    /// A request for a page.
    pub(super) fn reads(&self, path: &str) -> http::Result<Request<Full<Bytes>>> {
        self.sends(page(path))
    }

    /// A request as the owner.
    pub(super) fn sends(&self, request: Builder) -> http::Result<Request<Full<Bytes>>> {
        request.header(COOKIE, &self.cookies).body(Full::default())
    }
}
