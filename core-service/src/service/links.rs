//! URLs in answers and mails (rule 23 of docs/rules.md). They never change.

use domain::{
    ids::{EventId, InvitationId, WebhookId},
    private_link::LinkToken,
    registration::CheckInCode,
};
use server::settings::usual_grpc_url;
use url::Url;

/// The path below which the pages of check-in codes are.
const CHECK_IN: &str = "/check-in/";

/// Makes URLs below the public URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Links {
    base: String,
    grpc: String,
}

impl Default for Links {
    /// The default address of a gateway on this machine.
    fn default() -> Self {
        Self::new("http://127.0.0.1:8080")
    }
}

impl Links {
    /// Links below `public_url`, with or without a slash at its end.
    pub fn new(public_url: &str) -> Self {
        let base = public_url.trim_end_matches('/').to_owned();
        let grpc = usual_grpc_url(&base);
        Self { base, grpc }
    }

    /// The same, with another URL of the gRPC port than the usual one.
    #[must_use]
    pub fn with_grpc(self, url: Option<String>) -> Self {
        match url {
            Some(grpc) => Self { grpc, ..self },
            None => self,
        }
    }

    /// The URL of the gRPC port.
    pub fn grpc_url(&self) -> &str {
        &self.grpc
    }

    /// The public URL, without a slash at its end.
    pub fn public_url(&self) -> &str {
        &self.base
    }

    /// The host of the public URL, which makes Message-IDs and UIDs globally unique.
    pub fn host(&self) -> String {
        let uri = self.base.parse::<http::Uri>().ok();
        uri.and_then(|uri| uri.host().map(str::to_owned))
            .unwrap_or_else(|| "localhost".to_owned())
    }

    /// An event's public page.
    pub fn event(&self, slug: &str) -> String {
        // A list has many; this way each is written into room of its size.
        [&self.base, "/events/", slug].concat()
    }

    /// An organizer's public page.
    pub fn organizer(&self, handle: &str) -> String {
        [&self.base, "/o/", handle].concat()
    }

    /// The page to register for an event.
    pub fn registration(&self, slug: &str) -> String {
        format!("{}/events/{slug}/register", self.base)
    }

    /// An event's cover image.
    pub fn cover(&self, slug: &str) -> String {
        format!("{}/api/v1/events/{slug}/cover", self.base)
    }

    /// The owner's page of an event.
    pub fn admin(&self, event: EventId) -> String {
        format!("{}/dashboard/events/{event}", self.base)
    }

    /// The owner's page of an event's registrations.
    pub fn registrations(&self, event: EventId) -> String {
        format!("{}/registrations", self.admin(event))
    }

    /// The page on which members choose about which registrations they are mailed.
    pub fn mail_choice(&self) -> String {
        format!("{}/dashboard/account/mails", self.base)
    }

    /// An attendee's private page.
    pub fn private_registration(&self, token: &LinkToken) -> String {
        format!("{}/registrations/{}", self.base, token.expose())
    }

    /// The page on which someone whom an organizer added refuses further mails.
    pub fn refuse_mail(&self, token: &LinkToken) -> String {
        format!("{}/no-mail", self.private_registration(token))
    }

    /// The page on which someone refuses the reminders of an event.
    pub fn refuse_reminders(&self, token: &LinkToken) -> String {
        format!("{}/no-reminders", self.private_registration(token))
    }

    /// The page on which someone stops the messages of an organizer.
    pub fn stop_messages(&self, token: &LinkToken) -> String {
        format!("{}/messages", self.private_registration(token))
    }

    /// Stands for an attendee's private page where its link must not be shown.
    pub fn sample_registration(&self) -> String {
        format!("{}/registrations/[link]", self.base)
    }

    /// The page of a check-in code.
    pub fn check_in(&self, code: &CheckInCode) -> String {
        [&self.base, CHECK_IN, code.as_str()].concat()
    }

    /// The code that someone typed or scanned, alone or as the address of its page. `Err` with the host if that is another one's.
    pub fn scanned_code(&self, text: &str) -> Result<Option<CheckInCode>, String> {
        let Some(url) = Url::parse(text).ok().filter(Url::has_host) else {
            return Ok(CheckInCode::parse(text));
        };
        let of = |url: &Url| url.host_str().map(|host| (host.to_owned(), url.port()));
        let own = Url::parse(&self.base).ok();
        if own.as_ref().and_then(of) != of(&url) {
            return Err(url.authority().to_owned());
        }
        let code = url.path().strip_prefix(CHECK_IN);
        Ok(code.and_then(|code| CheckInCode::parse(code.trim_end_matches('/'))))
    }

    /// The page of the apps that a person has connected.
    pub fn apps(&self) -> String {
        format!("{}/dashboard/apps", self.base)
    }

    /// The page of where a person is signed in.
    pub fn sessions(&self) -> String {
        format!("{}/dashboard/sessions", self.base)
    }

    /// The page of an account's keys.
    pub fn keys(&self) -> String {
        format!("{}/dashboard/keys", self.base)
    }

    /// The page of an account's webhooks.
    pub fn webhooks(&self) -> String {
        format!("{}/dashboard/webhooks", self.base)
    }

    /// The page of a webhook.
    pub fn webhook(&self, webhook: WebhookId) -> String {
        format!("{}/{webhook}", self.webhooks())
    }

    /// The page of an account's members.
    pub fn members(&self) -> String {
        format!("{}/dashboard/members", self.base)
    }

    /// The page on which an address that was changed is taken back.
    pub fn take_back(&self) -> String {
        format!("{}/sign-in/take-back", self.base)
    }

    /// The first page of who is signed in.
    pub fn dashboard(&self) -> String {
        format!("{}/dashboard", self.base)
    }

    /// The page of an invitation.
    pub fn invitation(&self, invitation: InvitationId) -> String {
        format!("{}/invitations/{invitation}", self.base)
    }

    /// The page of a link that an operator printed.
    pub fn sign_in(&self, token: &LinkToken) -> String {
        format!("{}/sign-in/link/{}", self.base, token.expose())
    }

    /// A use-case page.
    pub fn use_case(&self, slug: &str) -> String {
        format!("{}/use-cases/{slug}", self.base)
    }

    /// A guide page.
    pub fn guide(&self, slug: &str) -> String {
        format!("{}/guides/{slug}", self.base)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_url_stands_below_the_public_one() {
        let links = Links::new("https://muster.example/");
        assert_eq!(links.event("a"), "https://muster.example/events/a");
        assert_eq!(
            links.registration("a"),
            "https://muster.example/events/a/register"
        );
        assert_eq!(
            links.cover("a"),
            "https://muster.example/api/v1/events/a/cover"
        );
        assert_eq!(
            links.admin(EventId::new(uuid::Uuid::nil())),
            "https://muster.example/dashboard/events/00000000-0000-0000-0000-000000000000"
        );
        assert_eq!(links.organizer("abc"), "https://muster.example/o/abc");
        assert_eq!(links.use_case("a"), "https://muster.example/use-cases/a");
        assert_eq!(links.guide("a"), "https://muster.example/guides/a");
    }
}
