//! Organizers as the public sees them: who they are, and which events they have.

use domain::{
    account::{Account, Organizer, OrganizerName},
    catalogue::{CatalogueFilter, FilterTexts, MAX_MATCHES},
    event::Event,
};

use super::{Catalogue, CatalogueView, next_offset, saturated};
use crate::service::Error;

/// Handles of a page of the sitemap: less than half a megabyte.
const PAGE_HANDLES: i64 = 10_000;

/// Who organizes an event.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ShownBy {
    /// The event's own name of the organizer, else the account's; `None` if that person was erased.
    pub name: Option<String>,
    /// The handle of the account, if it has a public page.
    pub handle: Option<String>,
}

impl ShownBy {
    /// Who organizes an event of an account, which is unknown if its name was erased.
    pub(super) fn of(event: &Event, account: Option<&OrganizerName>) -> Self {
        let own = event.organizer_name.clone();
        Self {
            name: own.or_else(|| account.map(|account| account.name.clone())),
            handle: account.and_then(|account| account.handle.clone()),
        }
    }
}

/// Organizers that have public events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrganizerPage {
    /// Their handles, in alphabetical order.
    pub handles: Vec<String>,
    /// Whether more follow.
    pub has_more: bool,
}

impl Catalogue {
    /// The organizer that has or had a handle, if it has a public page.
    pub async fn find_organizer(&self, handle: &str) -> Result<Option<Organizer>, Error> {
        // People write addresses in any case; handles have one.
        let handle = handle.to_ascii_lowercase();
        let found = self.store.find_organizer_by_handle(&handle).await?;
        Ok(found.filter(|organizer| organizer.name != Account::ERASED_NAME))
    }

    /// The same.
    ///
    /// # Errors
    /// [`Error::NotFound`] if there is none.
    pub async fn organizer(&self, handle: &str) -> Result<Organizer, Error> {
        let found = self.find_organizer(handle).await?;
        found.ok_or(Error::NotFound { what: "organizer" })
    }

    /// A page of the public events that texts ask for. An organizer that there is not has none.
    pub async fn events(
        &self,
        texts: FilterTexts<'_>,
        limit: i32,
        offset: i32,
    ) -> Result<CatalogueView, Error> {
        let past_of = texts.past_of()?;
        let filter = CatalogueFilter::read(texts)?;
        let Some(handle) = texts.organizer() else {
            return match filter {
                None => self.list(limit, offset).await,
                Some(filter) => self.search(&filter, limit, offset).await,
            };
        };
        let Some(organizer) = self.find_organizer(handle).await? else {
            return Ok(CatalogueView::empty());
        };
        if past_of.is_some() {
            return self.past(&organizer, limit, offset).await;
        }
        let filter = CatalogueFilter {
            organizer: Some(organizer.id),
            ..filter.unwrap_or_default()
        };
        self.search(&filter, limit, offset).await
    }

    /// A page of an organizer's public events that are over, the latest first. As with a search, there are pages of the first ones only.
    async fn past(
        &self,
        organizer: &Organizer,
        limit: i32,
        offset: i32,
    ) -> Result<CatalogueView, Error> {
        let (store, now) = (&self.store, self.clock.now());
        let max = i64::from(MAX_MATCHES) + 1;
        let found = store.count_past_events(organizer.id, now, max).await?;
        let found = saturated(found);
        let count = found.min(MAX_MATCHES);
        let limit = limit.min(MAX_MATCHES.saturating_sub(offset)).max(0);
        let events = store.list_past_events(organizer.id, now, limit.into(), offset.into());
        let events = events.await?;
        Ok(CatalogueView {
            next_offset: next_offset(offset, events.len(), count),
            events: self.shown(events).await?,
            count,
            count_is_exact: found <= MAX_MATCHES,
        })
    }

    /// Organizers that have public events, after a handle, for the sitemap.
    pub async fn organizer_handles(&self, after: Option<&str>) -> Result<OrganizerPage, Error> {
        let after = after.unwrap_or_default();
        let found = self.store.list_organizer_handles(after, PAGE_HANDLES + 1);
        let mut handles = found.await?;
        let page = usize::try_from(PAGE_HANDLES).unwrap_or(usize::MAX);
        let has_more = handles.len() > page;
        handles.truncate(page);
        Ok(OrganizerPage { handles, has_more })
    }
}
