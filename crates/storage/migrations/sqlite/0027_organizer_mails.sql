-- About which registrations a member is mailed: those that await approval, all, or none.
ALTER TABLE memberships ADD COLUMN mails TEXT NOT NULL DEFAULT 'approvals';
