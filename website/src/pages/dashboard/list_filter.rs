//! The parameters of lists in the dashboard: a status, words, and where the page begins.

use serde::{Deserialize, Serialize};

use crate::form::link;

/// What is looked for. Without a status, the list has its first one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ListFilter {
    pub(super) status: Option<String>,
    pub(super) q: Option<String>,
    pub(super) cursor: Option<String>,
}

/// A status to choose.
pub(super) struct Chip {
    pub(super) name: &'static str,
    pub(super) url: String,
    pub(super) is_chosen: bool,
}

impl ListFilter {
    /// Whether anything is looked for.
    pub(super) const fn is_set(&self) -> bool {
        self.status.is_some() || self.q.is_some()
    }

    /// The address of the page that begins at a cursor, or of the first one.
    pub(super) fn page(&self, path: &str, cursor: Option<String>) -> String {
        let page = Self {
            cursor,
            ..self.clone()
        };
        link(path, &page)
    }

    /// The statuses by their names in the API and for people, the first one without a name in the API. Each keeps the words.
    pub(super) fn chips(&self, path: &str, statuses: &[(Option<&str>, &'static str)]) -> Vec<Chip> {
        let chip = |&(status, name): &(Option<&str>, &'static str)| Chip {
            name,
            is_chosen: self.status.as_deref() == status,
            url: link(
                path,
                &Self {
                    status: status.map(str::to_owned),
                    q: self.q.clone(),
                    cursor: None,
                },
            ),
        };
        statuses.iter().map(chip).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::form::Form;

    const STATUSES: [(Option<&str>, &str); 2] = [(None, "All"), (Some("Pending"), "Pending")];

    #[test]
    fn pages_keep_what_was_looked_for() {
        let query = "status=Pending&q=a%26b&cursor=x&other=y";
        let filter: ListFilter = Form::parse(query.as_bytes()).read().unwrap();
        assert!(filter.is_set() && !ListFilter::default().is_set());
        assert_eq!(
            link("/list", &filter),
            "/list?status=Pending&q=a%26b&cursor=x"
        );
        assert_eq!(filter.page("/list", None), "/list?status=Pending&q=a%26b");
        let chips = filter.chips("/list", &STATUSES);
        let chosen: Vec<_> = chips.iter().map(|chip| chip.is_chosen).collect();
        assert_eq!(chosen, [false, true]);
        assert_eq!(chips[0].url, "/list?q=a%26b");
    }
}
