/** Pages of a sign-in that did not succeed: a browser shows them in place of the console. */
import { createHash } from "node:crypto";
import { escapeHtml } from "../base/text/markup.ts";

const style = `:root{color-scheme:light dark;font:1rem/1.5 system-ui,sans-serif}
body{max-width:36rem;margin:10vh auto;padding:0 1rem}
h1{font-size:1.25rem}
dt{font-weight:600}
dd{margin:0 0 .5rem;overflow-wrap:anywhere}`;
const styleHash = createHash("sha256").update(style).digest("base64");

/** Nothing is loaded; its style is part of it. */
const policy = (framedBy: string) =>
  `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors ${framedBy}`;

export interface SignInPage {
  readonly status: number;
  readonly title: string;
  readonly sentence: string;
  /** Names and values, shown as a list. */
  readonly facts?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
}

export function signInPage({ status, title, sentence, facts = {}, headers = {} }: SignInPage): Response {
  const list = Object.entries(facts).map(
    ([name, value]) => `<dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd>`,
  );
  return page(
    status,
    title,
    `<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(sentence)}</p>
${list.length === 0 ? "" : `<dl>${list.join("")}</dl>\n`}<p><a href="/">Back to the sign-in</a></p>`,
    "'none'",
    headers,
  );
}

/** For the frame in which a provider calls a logout. @param framedBy origin of the provider */
export function loggedOutPage(framedBy: string): Response {
  return page(200, "Logged out", "<p>Logged out.</p>", framedBy, {});
}

function page(
  status: number,
  title: string,
  content: string,
  framedBy: string,
  headers: Readonly<Record<string, string>>,
): Response {
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · Patchbay</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<main>
${content}
</main>
</body>
</html>
`;
  return new Response(html, {
    status,
    headers: {
      "Content-Type": "text/html; charset=utf-8",
      "Content-Security-Policy": policy(framedBy),
      ...headers,
    },
  });
}
