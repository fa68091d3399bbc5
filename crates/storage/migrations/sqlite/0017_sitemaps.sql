-- The catalogue in the order of creation, from which sitemaps are read.
CREATE INDEX events_in_sitemaps ON events (id, effective_end, updated_at, slug) WHERE live = TRUE;
