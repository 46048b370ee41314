/** Wires sign-in by OpenID Connect to the settings and the master key. */
import { createSignIn, type SignInOptions } from "../admin/sign-in.ts";
import type { Config } from "../config/config.ts";
import { createOidc } from "../oidc/oidc.ts";
import type { Oidc } from "../oidc/port.ts";
import { readProviders } from "../oidc/settings.ts";
import { findMasterKeys } from "./storage/master-key.ts";

const hourMs = 3_600_000;

type Parts = Pick<SignInOptions, "store" | "holders" | "onEnded" | "onChanged">;

export function signInOf(config: Config, parts: Parts) {
  const { values } = config;
  return createSignIn({
    ...parts,
    oidc: oidcOf(config),
    byKey: values.key_login,
    longestMs: values.session_hours * hourMs,
    endsWithToken: values.session_token_life,
  });
}

/** Undefined: the settings have no provider. */
function oidcOf(config: Config): Oidc | undefined {
  const { providers } = readProviders(config);
  const { public_url: publicUrl } = config.values;
  if (providers.length === 0 || publicUrl === undefined) return undefined;
  const { current, former } = findMasterKeys(config);
  return createOidc({ providers, publicUrl, masterKeys: [current, ...former] });
}
