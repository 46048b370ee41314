/** A service with a real OpenID Connect provider, and a browser made of fetch, which follows both. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type OidcServer, startOidcServer, type TestPerson } from "../../scripts/testbed/oidc.ts";
import { freePort } from "../../src/testkit/port.ts";
import { type Service, startService, tempFolder } from "../../src/testkit/service.ts";
import { selfSigned } from "./certificates.ts";

export const clientSecret = "client-secret-0123456789";

export interface SignInPlace {
  readonly provider: OidcServer;
  readonly service: Service;
  /** PEM of the provider. */
  readonly ca: string;
  readonly env: Readonly<Record<string, string>>;
  /** A role for members of a group. */
  role(name: string, group: string, scope: "read" | "operate" | "admin"): Promise<void>;
  browser(): Browser;
  stop(): Promise<void>;
}

export interface SignInPlaceOptions {
  readonly persons: TestPerson[];
  readonly env?: Readonly<Record<string, string>>;
  readonly tokenS?: number;
}

/** The provider is called `corp`. */
export async function startSignInPlace({
  persons,
  env = {},
  tokenS,
}: SignInPlaceOptions): Promise<SignInPlace> {
  const identity = await selfSigned();
  const port = await freePort();
  const serviceUrl = `http://127.0.0.1:${port}`;
  const provider = await startOidcServer({
    identity,
    clientId: "patchbay",
    clientSecret,
    serviceUrl,
    callback: "/login/corp/callback",
    backChannel: "/login/corp/backchannel",
    persons,
    ...(tokenS === undefined ? {} : { tokenS }),
  });
  const dataDir = tempFolder();
  const secretFile = join(tempFolder(), "secret");
  writeFileSync(secretFile, `${clientSecret}\n`);
  const settings = {
    PATCHBAY_PUBLIC_URL: serviceUrl,
    PATCHBAY_OIDC_NAME: "corp",
    PATCHBAY_OIDC_ISSUER: provider.issuer,
    PATCHBAY_OIDC_CLIENT_ID: "patchbay",
    PATCHBAY_OIDC_SECRET_FILE: secretFile,
    PATCHBAY_OIDC_CA_FILE: identity.certFile,
    ...env,
  };
  const service = await startService({ dataDir, port, env: settings });
  return {
    provider,
    service,
    ca: identity.cert,
    env: settings,
    async role(name, group, scope) {
      const { status } = await service.call("PUT", `/role/${name}`, { groups: [group], scope });
      if (status >= 300) throw new Error(`PUT /role: ${status}`);
    },
    browser: () => createBrowser(identity.cert),
    async stop() {
      await service.close();
      await provider.stop();
    },
  };
}

interface Cookie {
  /** Of all ports, as in browsers. */
  readonly host: string;
  readonly name: string;
  readonly value: string;
  readonly path: string;
}

export interface Browser {
  cookies: Cookie[];
  /** Without following redirects. */
  get(url: string, headers?: Record<string, string>): Promise<Response>;
  post(url: string, form: Record<string, string>): Promise<Response>;
  /** Follows redirects; a page of the console is where it ends. @returns the last URL and answer */
  visit(url: string): Promise<{ url: string; response: Response; text: string }>;
  /** Signs in at the provider as a person. @returns where it ended */
  signIn(start: string, name: string): Promise<{ url: string; response: Response; text: string }>;
}

function createBrowser(ca: string): Browser {
  const browser: Browser = {
    cookies: [],
    get: (url, headers = {}) => ask(url, { headers }),
    post: (url, form) => ask(url, { method: "POST", body: new URLSearchParams(form), headers: {} }),
    async visit(url) {
      return follow(url, await browser.get(url));
    },
    async signIn(start, name) {
      const form = await browser.visit(start);
      if (!form.text.includes('name="name"')) return form;
      return follow(form.url, await browser.post(form.url, { name }));
    },
  };

  async function ask(
    url: string,
    init: RequestInit & { headers: Record<string, string> },
  ): Promise<Response> {
    const { hostname: host, pathname } = new URL(url);
    const sent = browser.cookies.filter((one) => one.host === host && pathname.startsWith(one.path));
    const response = await fetch(url, {
      ...init,
      redirect: "manual",
      headers: {
        Accept: "text/html",
        ...(sent.length > 0 ? { Cookie: sent.map(({ name, value }) => `${name}=${value}`).join("; ") } : {}),
        ...init.headers,
      },
      tls: { ca },
    });
    for (const text of response.headers.getSetCookie()) keep(host, text);
    return response;
  }

  function keep(host: string, text: string): void {
    const [pair = "", ...attributes] = text.split(/; ?/);
    const [name = "", value = ""] = pair.split(/=(.*)/s);
    const path = attributes.find((one) => /^path=/i.test(one))?.slice(5) ?? "/";
    browser.cookies = browser.cookies.filter(
      (one) => one.host !== host || one.name !== name || one.path !== path,
    );
    if (value !== "") browser.cookies.push({ host, name, value, path });
  }

  async function follow(url: string, response: Response) {
    let [at, last] = [url, response];
    for (let hops = 0; hops < 20; hops++) {
      const location = last.headers.get("location");
      if (location === null) break;
      at = new URL(location, at).href;
      last = await browser.get(at);
    }
    return { url: at, response: last, text: await last.text() };
  }

  return browser;
}
