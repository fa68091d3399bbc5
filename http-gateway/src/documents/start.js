SwaggerUIBundle({
  url: "/api/v1/openapi.json",
  dom_id: "#reference",
  deepLinking: true,
  tryItOutEnabled: true,
  persistAuthorization: true,
  // The document has the public URL; the page may call its own origin only, which may have another name on this machine.
  requestInterceptor: (request) => {
    const url = new URL(request.url, location.href);
    request.url = location.origin + url.pathname + url.search;
    return request;
  },
  // The default asks a service on the internet.
  validatorUrl: null,
});
