/** Wires sign-in by OpenID Connect to the settings and the master key. It is loaded when somebody first signs in. */
import { createSignIn, type SignInOptions } from "../../admin/sign-in.ts";
import { messageOf, ServiceError } from "../../base/errors.ts";
import type { Config } from "../../config/config.ts";
import type { Oidc } from "../../oidc/port.ts";
import { readProviders } from "../../oidc/settings.ts";
import { findMasterKeys } from "../storage/master-key.ts";

const hourMs = 3_600_000;

/** Each provider of the settings: why it cannot be used now, if so. Asks it for its metadata. */
export async function providerTroubles(
  config: Config,
): Promise<
  readonly { readonly name: string; readonly issuer: string; readonly trouble: string | undefined }[]
> {
  const { providers } = readProviders(config);
  if (providers.length === 0) return [];
  const { createOidc } = await import("../../oidc/oidc.ts");
  const { public_url: publicUrl = "" } = config.values;
  // The state of a sign-in that nobody ends.
  const oidc = createOidc({ providers, publicUrl, masterKeys: [new Uint8Array(32)] });
  return Promise.all(
    providers.map(async ({ name, issuer }) => ({
      ...{ name, issuer },
      trouble: await oidc.begin(name, null).then(() => undefined, messageOf),
    })),
  );
}

type Parts = Pick<SignInOptions, "store" | "holders" | "onEnded" | "onChanged">;

export function signInOf(config: Config, parts: Parts) {
  const { values } = config;
  const { providers } = readProviders(config);
  let loading: Promise<Oidc> | undefined;

  async function load(): Promise<Oidc> {
    const { public_url: publicUrl } = values;
    if (providers.length === 0 || publicUrl === undefined)
      throw new ServiceError("NotFound", "No OpenID Connect provider is set (PATCHBAY_OIDC_ISSUER).");
    const { createOidc } = await import("../../oidc/oidc.ts");
    const { current, former } = findMasterKeys(config);
    return createOidc({ providers, publicUrl, masterKeys: [current, ...former] });
  }

  return createSignIn({
    ...parts,
    providers: providers.map(({ name }) => name),
    oidc() {
      loading ??= load();
      loading.catch(() => (loading = undefined));
      return loading;
    },
    byKey: values.key_login,
    longestMs: values.session_hours * hourMs,
    endsWithToken: values.session_token_life,
  });
}
