//! Authorization requests, after their client and their redirect URI are known to be right.

use super::{Audience, Code, Place, Refusal, pkce};
use crate::scope::{Scope, Scopes};

/// The parameters of a request; absent ones are absent.
#[derive(Debug, Clone, Default)]
pub struct Parameters {
    /// The client.
    pub client_id: Option<String>,
    /// Where the answer goes.
    pub redirect_uri: Option<String>,
    /// `code`.
    pub response_type: Option<String>,
    /// What the client gets back.
    pub state: Option<String>,
    /// The PKCE challenge.
    pub code_challenge: Option<String>,
    /// `S256`.
    pub code_challenge_method: Option<String>,
    /// Names of scopes.
    pub scope: Option<String>,
    /// The resources.
    pub resources: Vec<String>,
    /// Parameters that came more than once, or that make it a request of a kind that is unknown here.
    pub bad_parameters: Vec<String>,
    /// The origin under which the installation was called.
    pub origin: Option<String>,
}

/// What is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Terms {
    /// The PKCE challenge.
    pub challenge: String,
    /// The scopes.
    pub scopes: Scopes,
    /// For which surfaces.
    pub audience: Audience,
}

impl Parameters {
    /// Whether client or redirect URI are not one text, so that nothing may be sent there.
    pub fn has_no_one_destination(&self) -> bool {
        let matters = |name: &String| matches!(&**name, "client_id" | "redirect_uri");
        self.bad_parameters.iter().any(matters)
    }

    /// What the request asks for.
    ///
    /// # Errors
    /// When it asks in a wrong way. The client may be told.
    pub fn terms(&self, place: &Place) -> Result<Terms, Refusal> {
        unless_bad(&self.bad_parameters)?;
        let invalid = |text| Err(Refusal::new(Code::InvalidRequest, text));
        match self.response_type.as_deref() {
            Some("code") => {}
            Some(_) => {
                let text = "response_type must be code";
                return Err(Refusal::new(Code::UnsupportedResponseType, text));
            }
            None => return invalid("response_type is missing; it must be code"),
        }
        if self.code_challenge_method.as_deref() != Some("S256") {
            return invalid("code_challenge_method must be S256");
        }
        let challenge = self.code_challenge.clone().unwrap_or_default();
        if !pkce::is_challenge(&challenge) {
            return invalid(
                "code_challenge must be the SHA-256 of a verifier as base64url, 43 characters",
            );
        }
        let audience = place.audience(&self.resources);
        let audience = audience.ok_or_else(foreign_resource)?;
        Ok(Terms {
            challenge,
            scopes: asked(self.scope.as_deref()),
            audience,
        })
    }
}

/// Refuses parameters that came more than once.
///
/// # Errors
/// When there are any.
pub fn unless_bad(bad_parameters: &[String]) -> Result<(), Refusal> {
    let Some(name) = bad_parameters.first() else {
        return Ok(());
    };
    let text = format!("the parameter {name} must not be there, or only once");
    Err(Refusal::about(Code::InvalidRequest, &text))
}

/// The refusal of a resource that is not of this installation.
pub fn foreign_resource() -> Refusal {
    let text = "resource must be the public URL of this site, or /mcp or /api/v1 below it";
    Refusal::new(Code::InvalidTarget, text)
}

/// The scopes that a request names; those that only read if it names none. Names that are unknown here, such as `openid`, are left out.
pub fn asked(scope: Option<&str>) -> Scopes {
    let named: Vec<Scope> = names(scope.unwrap_or_default());
    if named.is_empty() {
        return Scopes::reading();
    }
    Scopes::named(named)
}

/// The known scopes among names that are separated by spaces.
pub fn names(scope: &str) -> Vec<Scope> {
    let names = scope.split(' ');
    names.filter_map(|name| name.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

    #[expect(clippy::unnecessary_wraps, reason = "parameters are optional")]
    fn some(text: &str) -> Option<String> {
        Some(text.to_owned())
    }

    fn fine() -> Parameters {
        Parameters {
            response_type: some("code"),
            code_challenge: some(CHALLENGE),
            code_challenge_method: some("S256"),
            scope: some("events:read openid events:read"),
            resources: vec!["https://muster.example/mcp".to_owned()],
            ..Parameters::default()
        }
    }

    fn terms(parameters: &Parameters) -> Result<Terms, Code> {
        let place = Place::new("https://muster.example", None);
        parameters.terms(&place).map_err(|refusal| refusal.code)
    }

    #[test]
    fn a_request_asks_for_scopes_and_surfaces() {
        let asked = terms(&fine()).unwrap();
        assert_eq!(asked.scopes, Scopes::named([Scope::EventsRead]));
        assert_eq!(asked.audience, Audience::Mcp);
        for scope in [None, some(""), some("openid email")] {
            let reading = terms(&Parameters { scope, ..fine() }).unwrap();
            let names = "events:read registrations:read account:read";
            assert_eq!(reading.scopes.joined(" "), names);
        }
        // What only sessions may do is unknown here.
        let more = some("events:read keys:write");
        let asked = terms(&Parameters {
            scope: more,
            ..fine()
        })
        .unwrap();
        assert_eq!(asked.scopes, Scopes::named([Scope::EventsRead]));
    }

    #[test]
    fn a_request_in_a_wrong_way_is_refused_by_its_code() {
        let wrong = |change: fn(&mut Parameters)| {
            let mut parameters = fine();
            change(&mut parameters);
            terms(&parameters).unwrap_err()
        };
        assert_eq!(wrong(|it| it.response_type = None), Code::InvalidRequest);
        let token = wrong(|it| it.response_type = some("token"));
        assert_eq!(token, Code::UnsupportedResponseType);
        for change in [
            (|it: &mut Parameters| it.code_challenge = None) as fn(&mut Parameters),
            |it| it.code_challenge = some("too-short"),
            |it| it.code_challenge_method = None,
            |it| it.code_challenge_method = some("plain"),
            |it| it.bad_parameters = vec!["state".to_owned()],
        ] {
            assert_eq!(wrong(change), Code::InvalidRequest);
        }
        let foreign = wrong(|it| it.resources.push("https://evil.example".to_owned()));
        assert_eq!(foreign, Code::InvalidTarget);
    }
}
