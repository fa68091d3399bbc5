-- Name and answers of a repeated registration, which the attendee may take over by the link in the mail about it. That mail's job
-- has the same occasion.
CREATE TABLE registration_details (
    registration_id UUID NOT NULL REFERENCES registrations (id),
    occasion INTEGER NOT NULL,
    name TEXT NOT NULL,
    answers TEXT NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (registration_id, occasion)
);

CREATE INDEX registration_details_by_expiry ON registration_details (expires_at);

-- The occasion of the mail that has the link.
ALTER TABLE registration_links ADD COLUMN occasion INTEGER;
