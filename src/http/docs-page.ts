/** The page of GET /docs: the API description in a browser, from local files only. */

export const docsHtml = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Patchbay API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="docs/swagger-ui.css">
<script src="docs/swagger-ui.js" defer></script>
<script src="docs/start.js" defer></script>
</head>
<body>
<div id="api"></div>
</body>
</html>
`;

/** Takes an API key from the URL for requests and removes it from the URL; a login session needs no key. */
export const docsScript = `"use strict";
const address = new URL(location.href);
const names = ["X-API-KEY", "x-api-key"];
const key = names.map((name) => address.searchParams.get(name)).find((value) => value !== null);
for (const name of names) address.searchParams.delete(name);
if (key !== undefined) history.replaceState(null, "", address);

const ui = SwaggerUIBundle({
  dom_id: "#api",
  url: new URL("openapi.json", address.origin + address.pathname).href,
  validatorUrl: null,
  deepLinking: true,
  docExpansion: "none",
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  filter: true,
  requestInterceptor(request) {
    const own = new URL(request.url, address).origin === address.origin;
    if (key !== undefined && own && !("X-API-KEY" in request.headers)) request.headers["X-API-KEY"] = key;
    return request;
  },
  onComplete() {
    if (key !== undefined) ui.preauthorizeApiKey("header", key);
  },
});
`;

/** Allows only resources and requests of this origin; no inline styles, images from the stylesheet included. */
export const docsPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");
