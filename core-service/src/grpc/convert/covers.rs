//! Drawn covers.

use covers::CoverRequest;
use jiff::civil::DateTime;
use muster_api::v1;

use crate::service::CoverWords;

/// The content of a drawn cover.
pub(in crate::grpc) fn cover_request(words: CoverWords, has_text: bool) -> CoverRequest {
    let starts = |at: DateTime| at.strftime("%a %-d %B %Y · %H:%M").to_string();
    let starts = words.starts.map(starts);
    // The API counts from 1.
    let variant = u8::try_from(words.image_variant.saturating_sub(1)).unwrap_or_default();
    CoverRequest {
        title: words.title,
        subtitle: starts.into_iter().chain(words.city).collect(),
        words: words.image_query,
        variant: variant.min(covers::VARIANTS - 1),
        has_text,
    }
}

/// The content of a cover that is considered.
pub(in crate::grpc) fn cover_words(request: v1::PreviewCoverRequest) -> CoverWords {
    let starts = request.start_date.as_deref();
    CoverWords {
        image_variant: request.image_variant(),
        starts: starts.and_then(|text| text.parse().ok()),
        title: request.title.unwrap_or_default(),
        image_query: request.image_query.unwrap_or_default(),
        city: request.city,
    }
}
