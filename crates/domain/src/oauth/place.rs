//! The URLs by which OAuth names this installation: its issuer and its resources.

use url::Url;

use super::redirect::LOOPBACK;
use crate::names::names;

names! {
    /// For which surfaces a token is.
    Audience / UnknownAudience: "is no audience" {
        /// Both.
        Both = "both",
        /// The HTTP API, and gRPC.
        Api = "api",
        /// The Model Context Protocol.
        Mcp = "mcp",
    }
}

impl Audience {
    /// The surfaces in it.
    pub fn surfaces(self) -> &'static [&'static str] {
        match self {
            Self::Both => &["api", "mcp"],
            Self::Api => &["api"],
            Self::Mcp => &["mcp"],
        }
    }

    /// The surfaces in it, in words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Both => "the HTTP API, gRPC and MCP",
            Self::Api => "the HTTP API and gRPC",
            Self::Mcp => "MCP",
        }
    }

    /// Whether it has all of another one.
    pub fn includes(self, other: Self) -> bool {
        self == Self::Both || self == other
    }

    fn and(self, other: Self) -> Self {
        if self == other { self } else { Self::Both }
    }
}

/// The installation, under the name by which a client calls it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The public URL, under the client's name for it.
    issuer: String,
    /// The public URL under all of its names.
    bases: Vec<String>,
}

impl Place {
    /// The installation with this public URL, as called under an origin. That counts only if both are on loopback, with the same scheme and
    /// port: whoever could make a client use another origin could be taken for the issuer.
    pub fn new(public_url: &str, origin: Option<&str>) -> Self {
        let base = public_url.trim_end_matches('/').to_owned();
        let names = loopback_names(&base);
        let called = origin.and_then(|origin| {
            let origin = Url::parse(origin).ok()?.origin();
            let is_called =
                |name: &&String| Url::parse(name).is_ok_and(|name| name.origin() == origin);
            names.iter().find(is_called).cloned()
        });
        let issuer = called.unwrap_or_else(|| base.clone());
        let bases = if names.is_empty() { vec![base] } else { names };
        Self { issuer, bases }
    }

    /// The issuer, without a slash at its end.
    pub fn issuer(&self) -> &str {
        &self.issuer
    }

    /// The audience of a token for these resources (RFC 8707); both surfaces if none is named. `None` if one of them is foreign.
    pub fn audience(&self, resources: &[String]) -> Option<Audience> {
        let mut audiences = resources.iter().map(|resource| self.one(resource));
        let first = audiences.next().unwrap_or(Some(Audience::Both))?;
        audiences.try_fold(first, |all, one| Some(all.and(one?)))
    }

    fn one(&self, resource: &str) -> Option<Audience> {
        let resource = Url::parse(resource).ok()?;
        let resource = resource.as_str();
        let resource = resource.strip_suffix('/').unwrap_or(resource);
        self.bases.iter().find_map(|base| {
            let base = Url::parse(base).ok()?;
            let base = base.as_str().trim_end_matches('/');
            match resource.strip_prefix(base)? {
                "" => Some(Audience::Both),
                "/mcp" => Some(Audience::Mcp),
                "/api/v1" => Some(Audience::Api),
                _ => None,
            }
        })
    }
}

/// The URL under all names of loopback, if it is there at all: clients on this computer use any of them for the same installation.
fn loopback_names(base: &str) -> Vec<String> {
    let Ok(url) = Url::parse(base) else {
        return Vec::new();
    };
    let is_loopback = url.host_str().is_some_and(|host| LOOPBACK.contains(&host));
    if !is_loopback {
        return Vec::new();
    }
    let named = |name: &str| {
        let mut url = url.clone();
        url.set_host(Some(name)).ok()?;
        Some(url.as_str().trim_end_matches('/').to_owned())
    };
    LOOPBACK.into_iter().filter_map(named).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn audience(place: &Place, resources: &[&str]) -> Option<Audience> {
        let resources: Vec<_> = resources.iter().map(|one| (*one).to_owned()).collect();
        place.audience(&resources)
    }

    #[test]
    fn a_resource_is_the_installation_or_one_of_its_surfaces() {
        let place = Place::new("https://muster.example/", None);
        for (resources, expected) in [
            (&[][..], Audience::Both),
            (&["https://muster.example"], Audience::Both),
            (&["https://muster.example/"], Audience::Both),
            (&["https://Muster.example/mcp"], Audience::Mcp),
            (&["https://muster.example/mcp/"], Audience::Mcp),
            (&["https://muster.example/api/v1"], Audience::Api),
            (
                &[
                    "https://muster.example/mcp",
                    "https://muster.example/api/v1",
                ],
                Audience::Both,
            ),
        ] {
            assert_eq!(audience(&place, resources), Some(expected), "{resources:?}");
        }
        for foreign in [
            "",
            "/mcp",
            "https://evil.example/mcp",
            "https://muster.example.evil.example/mcp",
            "https://muster.example/mcp/more",
            "https://muster.example/api/v1?x",
            "https://muster.example/mcp#x",
            "http://muster.example/mcp",
            "https://muster.example:8443/mcp",
            "https://user@muster.example/mcp",
        ] {
            assert_eq!(audience(&place, &[foreign]), None, "{foreign}");
            let mixed = ["https://muster.example/mcp", foreign];
            assert_eq!(audience(&place, &mixed), None, "{foreign}");
        }
    }

    #[test]
    fn a_public_url_may_have_a_path() {
        let place = Place::new("https://example.org/muster", None);
        assert_eq!(place.issuer(), "https://example.org/muster");
        let mcp = audience(&place, &["https://example.org/muster/mcp"]);
        assert_eq!(mcp, Some(Audience::Mcp));
        assert_eq!(audience(&place, &["https://example.org/mcp"]), None);
    }

    #[test]
    fn on_loopback_each_name_is_the_installation_and_the_called_one_its_issuer() {
        let place = Place::new("http://127.0.0.1:8080", Some("http://localhost:8080"));
        assert_eq!(place.issuer(), "http://localhost:8080");
        for name in ["localhost", "127.0.0.1", "[::1]"] {
            let mcp = format!("http://{name}:8080/mcp");
            assert_eq!(audience(&place, &[&mcp]), Some(Audience::Mcp));
        }
        for other in [
            "http://localhost:8081",
            "https://localhost:8080",
            "http://evil.example:8080",
            "http://localhost.evil.example:8080",
            "nonsense",
        ] {
            let place = Place::new("http://127.0.0.1:8080", Some(other));
            assert_eq!(place.issuer(), "http://127.0.0.1:8080", "{other}");
            assert_eq!(audience(&place, &[&format!("{other}/mcp")]), None);
        }
        let public = Place::new("https://muster.example", Some("https://localhost"));
        assert_eq!(public.issuer(), "https://muster.example");
    }
}
