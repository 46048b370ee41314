/** Sign-in by the providers of the settings. The library is loaded when somebody first signs in. */
import { randomBytes } from "node:crypto";
import { ServiceError } from "../base/errors.ts";
import { suggestion } from "../base/text/near-names.ts";
import type { Oidc, ProviderSettings } from "./port.ts";
import type { Provider } from "./provider.ts";
import { returnPathOf } from "./return-path.ts";
import { createStateSeal, stateMs } from "./state.ts";

export interface OidcOptions {
  readonly providers: readonly ProviderSettings[];
  /** Origin under which browsers reach this service. */
  readonly publicUrl: string;
  /** Newest first. */
  readonly masterKeys: readonly Uint8Array[];
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** Of one request to a provider. */
  readonly limitMs?: number;
}

export function createOidc(options: OidcOptions): Oidc {
  const { publicUrl, now = Date.now } = options;
  const seal = createStateSeal(options.masterKeys, now);
  const names = options.providers.map(({ name }) => name);
  const opened = new Map<string, Promise<Provider>>();

  function provider(name: string): Promise<Provider> {
    const settings = options.providers.find((one) => one.name === name);
    if (settings === undefined)
      throw new ServiceError("NotFound", `There is no provider "${name}".${suggestion(name, names)}`);
    const known = opened.get(name);
    if (known !== undefined) return known;
    const opening = open(settings);
    opened.set(name, opening);
    opening.catch(() => opened.delete(name));
    return opening;
  }

  async function open(settings: ProviderSettings): Promise<Provider> {
    const { createProvider } = await import("./provider.ts");
    const { limitMs } = options;
    return createProvider(settings, {
      redirectUri: `${publicUrl}/login/${settings.name}/callback`,
      startPage: `${publicUrl}/`,
      now,
      ...(limitMs === undefined ? {} : { limitMs }),
    });
  }

  return {
    stateMs,

    async begin(name, returnPath) {
      const begun = { state: randomText(), nonce: randomText(), verifier: randomText() };
      const location = await (await provider(name)).authorizationUrl(begun);
      const state = seal.seal({
        ...begun,
        provider: name,
        returnPath: returnPathOf(returnPath),
        startedAt: now(),
      });
      return { location, state };
    },

    async finish(name, answer, state) {
      const from = await provider(name);
      const begun = state === undefined ? undefined : seal.open(state);
      if (begun === undefined || begun.provider !== name || begun.state !== answer.get("state")) {
        const text =
          "This sign-in was not begun in this browser, was ended already, took more than ten minutes, or another one was begun since. Begin again.";
        throw new ServiceError("BadRequest", text);
      }
      return { identity: await from.identify(answer, begun), returnPath: begun.returnPath };
    },

    backChannel: async (name, logoutToken) => (await provider(name)).backChannel(logoutToken),
    frontChannel: async (name, query) => (await provider(name)).frontChannel(query),
    async logoutUrl(issuer, idToken) {
      const settings = options.providers.find((one) => isSameUrl(one.issuer, issuer));
      return settings && (await provider(settings.name)).logoutUrl(idToken);
    },
  };
}

/** A provider may write its issuer with or without a final slash where the path is empty. */
const isSameUrl = (one: string, other: string) => URL.parse(one)?.href === URL.parse(other)?.href;

/** 256 random bits. */
function randomText(): string {
  return randomBytes(32).toString("base64url");
}
