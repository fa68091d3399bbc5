-- Sitemaps are read from this index alone, which SQLite does only if the index contains the column of its own condition.
DROP INDEX events_in_sitemaps;
CREATE INDEX events_in_sitemaps ON events (id, effective_end, updated_at, slug, live) WHERE live = TRUE;
