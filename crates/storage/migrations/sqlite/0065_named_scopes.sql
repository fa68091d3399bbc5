-- All scopes, as they were before messages:write: whoever gave them to a key or an app did not mean to let it write to people.
UPDATE api_keys SET scopes = 'events:read events:write events:cancel registrations:read registrations:write registrations:check_in account:read' WHERE scopes IS NULL;
UPDATE oauth_authorizations SET scopes = 'events:read events:write events:cancel registrations:read registrations:write registrations:check_in account:read' WHERE scopes IS NULL;
UPDATE oauth_grants SET scopes = 'events:read events:write events:cancel registrations:read registrations:write registrations:check_in account:read' WHERE scopes IS NULL;
UPDATE oauth_codes SET scopes = 'events:read events:write events:cancel registrations:read registrations:write registrations:check_in account:read' WHERE scopes IS NULL;
UPDATE oauth_access_tokens SET scopes = 'events:read events:write events:cancel registrations:read registrations:write registrations:check_in account:read' WHERE scopes IS NULL;
