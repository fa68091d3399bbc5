//! HTTP to a provider, with limits on its answers.

use std::{error::Error as StdError, iter, time::Duration};

use egress::{RetryAfter, browser_tls};
use reqwest::{
    StatusCode, Url,
    header::{ACCEPT, HeaderMap, HeaderValue, RETRY_AFTER},
    redirect::{Attempt, Policy},
};

use super::{Error, Provider, StockSettings, provider::Candidate};

/// Maximum size of a search's answer: ten results of Openverse with all their tags are 100 kB.
const ANSWER_BYTES: usize = 2 * 1024 * 1024;

/// Maximum size of a picture: a large photograph at full size.
const PICTURE_BYTES: usize = 16 * 1024 * 1024;

/// Maximum size of the answer to a report, which is not used.
const REPORT_BYTES: usize = 64 * 1024;

/// How long connecting may take, and how long a connection may be silent.
const IO_TIMEOUT: Duration = Duration::from_secs(10);

/// Redirects followed, all within one host; providers use none today.
const REDIRECTS: usize = 3;

/// The longest wait for a provider, also if it asks for more.
const MAX_WAIT: Duration = Duration::from_hours(24);

/// Our user agent, which providers require.
const USER_AGENT: &str = concat!("Muster/", env!("CARGO_PKG_VERSION"));

/// Calls one provider.
#[derive(Debug, Clone)]
pub(super) struct Client {
    provider: Provider,
    base: Url,
    headers: HeaderMap,
    http: reqwest::Client,
}

impl Client {
    pub(super) fn new(settings: StockSettings) -> Result<Self, Error> {
        let provider = settings.provider;
        let unusable = |problem: &str| Error::Settings(format!("--covers-url: {problem}"));
        let base = settings.url.unwrap_or_else(|| provider.api().to_owned());
        // Without the slash, joining would replace its last part.
        let base = format!("{}/", base.trim_end_matches('/'));
        let base = Url::parse(&base).map_err(|error| unusable(&error.to_string()))?;
        let tls = browser_tls().map_err(|error| Error::Settings(format!("no TLS: {error}")))?;
        let http = reqwest::Client::builder()
            .tls_backend_preconfigured(tls)
            .user_agent(USER_AGENT)
            .connect_timeout(IO_TIMEOUT)
            .read_timeout(IO_TIMEOUT)
            .redirect(Policy::custom(within_one_host))
            .build()
            .map_err(|error| Error::Settings(format!("no client for {provider}: {error}")))?;
        Ok(Self {
            headers: provider.headers(settings.key.as_ref())?,
            provider,
            base,
            http,
        })
    }

    pub(super) const fn provider(&self) -> Provider {
        self.provider
    }

    /// The provider's pictures for these words, best first.
    pub(super) async fn search(&self, words: &str) -> Result<Vec<Candidate>, Error> {
        let url = self.provider.search(&self.base, words);
        let url = url.ok_or_else(|| self.failed("its address takes no path"))?;
        let response = self.get(url, self.headers.clone()).await?;
        let response = self.check(response)?;
        let answer = self.body(response, ANSWER_BYTES).await?;
        let answer = answer.ok_or_else(|| self.failed("the answer is too large"))?;
        self.provider
            .read(&self.base, &answer)
            .map_err(|_| self.failed("the answer is not a list of pictures"))
    }

    /// The file of one picture; `None` if it is not available from an allowed host.
    pub(super) async fn picture(&self, candidate: &Candidate) -> Result<Option<Vec<u8>>, Error> {
        if !self.is_trusted(&candidate.image) {
            tracing::info!(provider = %self.provider, "a stock picture lies on a host that is not the provider's");
            return Ok(None);
        }
        let mut headers = HeaderMap::new();
        // The formats that `photo` reads; some hosts choose by this header.
        headers.insert(ACCEPT, HeaderValue::from_static("image/jpeg, image/png"));
        let response = self.get(candidate.image.clone(), headers).await?;
        let status = response.status();
        // A missing picture is no failure of the provider.
        if !status.is_success() && !status.is_server_error() && !is_busy(status) {
            return Ok(None);
        }
        self.body(self.check(response)?, PICTURE_BYTES).await
    }

    /// Reports the use of a picture to the provider, if it requires this.
    pub(super) async fn report_use(&self, candidate: &Candidate) -> Result<(), Error> {
        // The request contains the key, so it goes only to the API itself.
        let Some(url) = candidate.report.as_ref().filter(|url| self.is_api(url)) else {
            return Ok(());
        };
        let response = self.get(url.clone(), self.headers.clone()).await?;
        self.body(self.check(response)?, REPORT_BYTES).await?;
        Ok(())
    }

    async fn get(&self, url: Url, headers: HeaderMap) -> Result<reqwest::Response, Error> {
        let sent = self.http.get(url).headers(headers).send().await;
        sent.map_err(|error| self.failed(&root_cause(error)))
    }

    /// The response, if it is successful.
    fn check(&self, response: reqwest::Response) -> Result<reqwest::Response, Error> {
        let (provider, status) = (self.provider, response.status());
        match status {
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => Err(Error::Refused {
                provider,
                status: status.as_u16(),
            }),
            _ if is_busy(status) => Err(Error::Busy {
                provider,
                wait: wait(&response),
            }),
            _ if status.is_success() => Ok(response),
            _ if status.is_client_error() => Err(Error::Rejected {
                provider,
                status: status.as_u16(),
            }),
            _ => Err(self.failed(&format!("status {}", status.as_u16()))),
        }
    }

    /// The body, unless it is longer than `limit`. `Content-Length` is not trusted.
    async fn body(
        &self,
        mut response: reqwest::Response,
        limit: usize,
    ) -> Result<Option<Vec<u8>>, Error> {
        let mut body = Vec::new();
        loop {
            let piece = response.chunk().await;
            match piece.map_err(|error| self.failed(&root_cause(error)))? {
                None => return Ok(Some(body)),
                Some(piece) if body.len() + piece.len() > limit => return Ok(None),
                Some(piece) => body.extend_from_slice(&piece),
            }
        }
    }

    /// Whether a picture may be fetched from this address. Addresses in answers are not trusted: they could name machines in
    /// this machine's private network.
    fn is_trusted(&self, url: &Url) -> bool {
        let no_login = url.username().is_empty() && url.password().is_none();
        let is_image_host = url.scheme() == "https"
            && url.port().is_none()
            && url.host_str().is_some()
            && url.host_str() == self.provider.image_host();
        no_login && (self.is_api(url) || is_image_host)
    }

    fn is_api(&self, url: &Url) -> bool {
        url.origin() == self.base.origin()
    }

    fn failed(&self, problem: &str) -> Error {
        Error::Failed {
            provider: self.provider,
            problem: problem.to_owned(),
        }
    }
}

fn within_one_host(attempt: Attempt<'_>) -> reqwest::redirect::Action {
    let asked = attempt.previous().first().map(Url::origin);
    if attempt.previous().len() > REDIRECTS || asked != Some(attempt.url().origin()) {
        return attempt.stop();
    }
    attempt.follow()
}

fn is_busy(status: StatusCode) -> bool {
    matches!(
        status,
        StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE
    )
}

/// `Retry-After` in seconds. Its other form, a date, would need the provider's clock.
fn wait(response: &reqwest::Response) -> Option<Duration> {
    let header = response.headers().get(RETRY_AFTER)?.to_str().ok()?;
    match header.parse().ok()? {
        RetryAfter::Delay(wait) => Some(wait.min(MAX_WAIT)),
        RetryAfter::Time(_) => None,
    }
}

/// The root cause, without the address, which contains the words.
fn root_cause(error: reqwest::Error) -> String {
    let error = error.without_url();
    let causes = iter::successors(Some(&error as &dyn StdError), |&error| error.source());
    causes.last().map(ToString::to_string).unwrap_or_default()
}
