//! Clients, and what they say of themselves: registered (RFC 7591), or in a document whose URL is their identifier.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};
use url::Url;

use super::{Code, PrivateSchemes, RedirectUri, Refusal};
use crate::{ids::ClientId, instant::Instant};

/// The bytes of the largest metadata.
pub const MAX_BYTES: usize = 5_000;
/// The redirect URIs of one client.
const MAX_REDIRECTS: usize = 20;
/// The characters of a name that are kept.
const MAX_NAME_LENGTH: usize = 100;
/// The bytes of the longest URL of a document.
const MAX_DOCUMENT_URL_LENGTH: usize = 512;

/// A client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Client {
    /// Its identifier here.
    pub id: ClientId,
    /// Its identifier in OAuth.
    pub client_id: String,
    /// What it says of itself.
    pub metadata: ClientMetadata,
    /// When it was first seen.
    pub created_at: Instant,
    /// Until when its document counts as it was read; none for a registered client.
    pub fresh_until: Option<Instant>,
}

impl Client {
    /// The host that has its document: nobody else could put it there.
    pub fn verified_host(&self) -> Option<String> {
        let url = document_url(&self.client_id)?;
        url.host_str().map(str::to_owned)
    }

    /// Its name for people: the one that it gives itself, or a host.
    pub fn name(&self) -> String {
        let redirect = || self.metadata.redirects.first().map(RedirectUri::shown_host);
        let name = self.metadata.name.clone();
        let name = name.or_else(|| self.verified_host()).or_else(redirect);
        name.unwrap_or_else(|| self.client_id.clone())
    }
}

/// What a client says of itself, as far as it matters here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientMetadata {
    /// Its name, if it gives one.
    pub name: Option<String>,
    /// Where its answers may go; without ports of programs on the person's computer, and in alphabetical order.
    pub redirects: Vec<RedirectUri>,
}

impl ClientMetadata {
    /// Reads metadata.
    ///
    /// # Errors
    /// When this server cannot serve such a client.
    pub fn read(text: &str, schemes: &PrivateSchemes) -> Result<Self, Refusal> {
        if text.len() > MAX_BYTES {
            let text = format!("the metadata must have at most {MAX_BYTES} bytes");
            return Err(Refusal::about(Code::InvalidClientMetadata, &text));
        }
        let invalid = |text| Refusal::new(Code::InvalidClientMetadata, text);
        let object: Map<String, Value> = serde_json::from_str(text)
            .map_err(|_| invalid("the metadata must be a JSON object"))?;
        if !lists(&object, "grant_types", "authorization_code") {
            return Err(invalid("grant_types must contain authorization_code"));
        }
        if !lists(&object, "response_types", "code") {
            return Err(invalid("response_types must contain code"));
        }
        let name = match object.get("client_name") {
            None | Some(Value::Null) => None,
            Some(Value::String(name)) => cleaned(name),
            Some(_) => return Err(invalid("client_name must be a string")),
        };
        Ok(Self {
            name,
            redirects: redirects(&object, schemes)?,
        })
    }

    /// Reads the document at a URL.
    ///
    /// # Errors
    /// As [`Self::read`], and when the document is another client's, or one that cannot be a public client.
    pub fn read_document(
        text: &str,
        client_id: &str,
        schemes: &PrivateSchemes,
    ) -> Result<Self, Refusal> {
        let metadata = Self::read(text, schemes)?;
        let object: Map<String, Value> = serde_json::from_str(text).unwrap_or_default();
        let invalid = |text| Err(Refusal::new(Code::InvalidClientMetadata, text));
        if object.get("client_id").and_then(Value::as_str) != Some(client_id) {
            return invalid("the client_id in the document must be the URL of the document");
        }
        let method = object.get("token_endpoint_auth_method");
        let is_public = method.is_none_or(|method| method.as_str() == Some("none"));
        let supported = object.get("token_endpoint_auth_methods_supported");
        if !is_public && !supported.is_some_and(|all| contains(all, "none")) {
            return invalid(
                "token_endpoint_auth_method must be none: clients have no secrets here",
            );
        }
        Ok(metadata)
    }

    /// The stored form: the same for the same client, whatever the order and the ports were.
    pub fn canonical(&self) -> String {
        let redirects = self.redirects.iter().map(RedirectUri::as_str);
        let redirects: Vec<_> = redirects.collect();
        let mut object = json!({ "redirect_uris": redirects });
        if let Some(name) = &self.name {
            object["client_name"] = name.as_str().into();
        }
        object.to_string()
    }

    /// Reads the stored form. Redirects that the settings do not allow any more are left out.
    pub fn from_stored(text: &str, schemes: &PrivateSchemes) -> Option<Self> {
        let object: Map<String, Value> = serde_json::from_str(text).ok()?;
        let redirects = object.get("redirect_uris")?.as_array()?.iter();
        let redirects = redirects.filter_map(|uri| RedirectUri::parse(uri.as_str()?, schemes).ok());
        Some(Self {
            name: object
                .get("client_name")
                .and_then(Value::as_str)
                .map(str::to_owned),
            redirects: redirects.collect(),
        })
    }

    /// The identifier of a client that registers with this: a hash, so that it is the same each time.
    pub fn registered_id(&self) -> String {
        URL_SAFE_NO_PAD.encode(Sha256::digest(self.canonical()))
    }

    /// Whether answers may go there.
    pub fn allows(&self, redirect: &RedirectUri) -> bool {
        self.redirects.iter().any(|one| one.allows(redirect))
    }
}

/// The answer to a registration (RFC 7591, section 3.2.1), with the redirects as the client named them.
pub fn registration(client: &Client, metadata: &str) -> String {
    let asked: Map<String, Value> = serde_json::from_str(metadata).unwrap_or_default();
    let mut answer = json!({
        "client_id": client.client_id,
        "client_id_issued_at": client.created_at.micros() / 1_000_000,
    });
    if let Some(name) = &client.metadata.name {
        answer["client_name"] = name.as_str().into();
    }
    answer["redirect_uris"] = asked.get("redirect_uris").cloned().unwrap_or_default();
    answer["grant_types"] = json!(["authorization_code", "refresh_token"]);
    answer["response_types"] = json!(["code"]);
    answer["token_endpoint_auth_method"] = "none".into();
    answer.to_string()
}

/// The URL of a document, if an identifier is one.
pub fn document_url(client_id: &str) -> Option<Url> {
    if client_id.len() > MAX_DOCUMENT_URL_LENGTH {
        return None;
    }
    let url = Url::parse(client_id).ok()?;
    let is_plain = url.as_str() == client_id
        && url.scheme() == "https"
        && url.username().is_empty()
        && url.password().is_none()
        && url.fragment().is_none()
        && url.path() != "/";
    is_plain.then_some(url)
}

fn redirects(
    object: &Map<String, Value>,
    schemes: &PrivateSchemes,
) -> Result<Vec<RedirectUri>, Refusal> {
    let invalid = |text: &str| Refusal::about(Code::InvalidRedirectUri, text);
    let asked = object.get("redirect_uris").and_then(Value::as_array);
    let asked = asked.filter(|asked| (1..=MAX_REDIRECTS).contains(&asked.len()));
    let asked = asked.ok_or_else(|| {
        invalid(&format!(
            "redirect_uris must be a list of 1 to {MAX_REDIRECTS} URIs"
        ))
    })?;
    let mut all = Vec::with_capacity(asked.len());
    for uri in asked {
        let uri = uri.as_str().unwrap_or_default();
        let parsed = RedirectUri::parse(uri, schemes)
            .and_then(|uri| RedirectUri::parse(&uri.without_local_port(), schemes));
        all.push(parsed.map_err(|error| invalid(&error.to_string()))?);
    }
    all.sort_unstable_by(|one, other| one.as_str().cmp(other.as_str()));
    all.dedup();
    Ok(all)
}

/// Whether a list, if it is there at all, contains a name.
fn lists(object: &Map<String, Value>, field: &str, name: &str) -> bool {
    object
        .get(field)
        .is_none_or(|list| list.is_null() || contains(list, name))
}

fn contains(list: &Value, name: &str) -> bool {
    let list = list.as_array();
    list.is_some_and(|list| list.iter().any(|one| one.as_str() == Some(name)))
}

/// The joiners, by which some scripts and pictures are written.
const JOINERS: [char; 2] = ['\u{200c}', '\u{200d}'];

/// Whether a character is not seen: what Unicode calls ignorable by default, also where it reorders the text around it, and blank ones.
const fn is_invisible(one: char) -> bool {
    matches!(one,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
        | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}'
    )
}

/// A name as it can be shown: in one line, without what nobody sees but the joiners.
fn cleaned(name: &str) -> Option<String> {
    let plain = |one: char| if one.is_control() { ' ' } else { one };
    let is_kept = |one: &char| !is_invisible(*one) || JOINERS.contains(one);
    let shown: String = name.chars().filter(is_kept).map(plain).collect();
    let words: Vec<_> = shown.split_whitespace().collect();
    let name: String = words.join(" ").chars().take(MAX_NAME_LENGTH).collect();
    let name = name.trim_end().to_owned();
    let is_seen = name.chars().any(|one| !is_invisible(one));
    is_seen.then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(value: &Value) -> Result<ClientMetadata, Refusal> {
        ClientMetadata::read(&value.to_string(), &PrivateSchemes::default())
    }

    fn code(value: &Value) -> Code {
        read(value).unwrap_err().code
    }

    const DOCUMENT: &str = "https://app.example/client.json";

    fn document(value: &Value) -> Result<ClientMetadata, Refusal> {
        ClientMetadata::read_document(&value.to_string(), DOCUMENT, &PrivateSchemes::default())
    }

    #[test]
    fn the_same_client_has_the_same_identifier_whatever_its_port_is_today() {
        let one = json!({
            "client_name": "Claude Code",
            "redirect_uris": ["http://localhost:3118/callback", "https://app.example/cb"],
            "grant_types": ["authorization_code", "refresh_token"],
            "token_endpoint_auth_method": "none",
        });
        let same = json!({
            "token_endpoint_auth_method": "client_secret_basic",
            "redirect_uris": ["https://app.example/cb", "http://localhost:9/callback"],
            "client_name": " Claude\tCode ",
            "software_version": "2",
        });
        let id = read(&one).unwrap().registered_id();
        assert_eq!(id.len(), 43);
        assert_eq!(read(&same).unwrap().registered_id(), id);
        for other in [
            json!({ "client_name": "Claude", "redirect_uris": one["redirect_uris"] }),
            json!({ "client_name": "Claude Code", "redirect_uris": ["https://app.example/cb"] }),
            json!({ "redirect_uris": one["redirect_uris"] }),
        ] {
            assert_ne!(read(&other).unwrap().registered_id(), id, "{other}");
        }
        let stored = read(&one).unwrap();
        let again = ClientMetadata::from_stored(&stored.canonical(), &PrivateSchemes::default());
        assert_eq!(again, Some(stored));
    }

    #[test]
    fn metadata_that_cannot_be_served_is_refused_by_its_code() {
        for wrong in [
            json!([]),
            json!({ "redirect_uris": ["https://a.example/cb"], "grant_types": ["client_credentials"] }),
            json!({ "redirect_uris": ["https://a.example/cb"], "response_types": ["token"] }),
            json!({ "redirect_uris": ["https://a.example/cb"], "client_name": 7 }),
            json!({ "redirect_uris": ["https://a.example/cb"], "junk": "j".repeat(MAX_BYTES) }),
        ] {
            assert_eq!(code(&wrong), Code::InvalidClientMetadata, "{wrong}");
        }
        let many = vec!["https://a.example/cb"; MAX_REDIRECTS + 1];
        for wrong in [
            json!({}),
            json!({ "redirect_uris": [] }),
            json!({ "redirect_uris": "https://a.example/cb" }),
            json!({ "redirect_uris": [7] }),
            json!({ "redirect_uris": many }),
            json!({ "redirect_uris": ["https://a.example/cb", "javascript:alert(1)"] }),
        ] {
            assert_eq!(code(&wrong), Code::InvalidRedirectUri, "{wrong}");
        }
    }

    #[test]
    fn a_document_is_its_own_clients_and_of_a_public_one() {
        let fine = json!({ "client_id": DOCUMENT, "redirect_uris": ["https://app.example/cb"] });
        assert!(document(&fine).is_ok());
        let with = |field: &str, value: Value| {
            let mut changed = fine.clone();
            changed[field] = value;
            changed
        };
        let prefers = with("token_endpoint_auth_method", "private_key_jwt".into());
        assert!(document(&prefers).is_err());
        let mut accepts = prefers.clone();
        accepts["token_endpoint_auth_methods_supported"] = json!(["private_key_jwt", "none"]);
        assert!(document(&accepts).is_ok());
        for other in [
            with("client_id", "https://app.example/other.json".into()),
            with("client_id", Value::Null),
            with("token_endpoint_auth_method", "client_secret_post".into()),
        ] {
            assert!(document(&other).is_err(), "{other}");
        }
    }

    #[test]
    fn a_document_has_a_plain_url() {
        assert!(document_url(DOCUMENT).is_some());
        assert!(document_url("https://app.example:8443/c").is_some());
        for wrong in [
            "",
            "k4bd",
            "http://app.example/client.json",
            "https://app.example",
            "https://app.example/",
            "https://u@app.example/client.json",
            "https://app.example/client.json#x",
            "https://app.example/a/../client.json",
            "https://APP.example/client.json",
            "https://2130706433/client.json",
        ] {
            assert!(document_url(wrong).is_none(), "{wrong}");
        }
    }

    #[test]
    fn a_name_is_one_plain_line() {
        assert_eq!(cleaned("  Claude\n Code ").as_deref(), Some("Claude Code"));
        assert_eq!(cleaned("a\u{202e}b\u{200b}").as_deref(), Some("ab"));
        assert_eq!(cleaned("\u{200b}\n"), None);
        // Two names that look the same are the same.
        for invisible in [
            '\u{ad}',
            '\u{34f}',
            '\u{3164}',
            '\u{2800}',
            '\u{fe0f}',
            '\u{e0041}',
        ] {
            let name = format!("Cla{invisible}ude");
            assert_eq!(cleaned(&name).as_deref(), Some("Claude"), "{name:?}");
        }
        let family = "\u{1f469}\u{200d}\u{1f467} \u{645}\u{6cc}\u{200c}\u{62e}";
        assert_eq!(cleaned(family).as_deref(), Some(family));
        assert_eq!(cleaned("\u{200d}\u{200c}"), None);
        assert_eq!(
            cleaned(&"n".repeat(500)).map(|name| name.len()),
            Some(MAX_NAME_LENGTH)
        );
    }

    #[test]
    fn a_registration_answers_what_was_asked_without_secrets() {
        let asked = json!({ "client_name": "App", "redirect_uris": ["http://localhost:7/cb"] });
        let metadata = read(&asked).unwrap();
        let client = Client {
            id: ClientId::new(uuid::Uuid::nil()),
            client_id: metadata.registered_id(),
            metadata,
            created_at: Instant::from_micros(1_893_456_000_000_000),
            fresh_until: None,
        };
        let answer: Value =
            serde_json::from_str(&registration(&client, &asked.to_string())).unwrap();
        assert_eq!(answer["redirect_uris"], asked["redirect_uris"]);
        assert_eq!(answer["client_id_issued_at"], 1_893_456_000);
        assert_eq!(answer["token_endpoint_auth_method"], "none");
        let fields: Vec<_> = answer.as_object().unwrap().keys().collect();
        assert_eq!(fields.len(), 7, "{fields:?}");
        assert!(
            answer
                .as_object()
                .unwrap()
                .values()
                .all(|value| !value.is_null())
        );
    }
}
