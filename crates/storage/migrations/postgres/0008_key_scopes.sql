-- What a key may be used for: names of scopes between spaces; NULL is everything, as for all keys until now.
ALTER TABLE api_keys ADD COLUMN scopes TEXT;
