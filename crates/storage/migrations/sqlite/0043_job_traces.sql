-- The W3C traceparent of the command that made a job, if it was traced.
ALTER TABLE jobs ADD COLUMN trace_parent TEXT;
