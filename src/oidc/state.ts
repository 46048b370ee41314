/** The state of a sign-in, sealed for a cookie: any node of the installation ends what another began. */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import * as v from "valibot";

const schema = v.object({
  provider: v.string(),
  state: v.string(),
  nonce: v.string(),
  verifier: v.string(),
  returnPath: v.string(),
  /** In milliseconds since 1970. */
  startedAt: v.number(),
});
export type SignInState = v.InferOutput<typeof schema>;

export interface StateSeal {
  seal(state: SignInState): string;
  /** Undefined: changed, of another installation, or too old. */
  open(text: string): SignInState | undefined;
}

/** Time for a person to sign in at the provider. */
export const stateMs = 600_000;
/** A return path of 2,000 characters fits. */
const maxLength = 4_000;
const nonceBytes = 12;
const tagBytes = 16;
const authenticated = Buffer.from("patchbay sign-in v1");

/** @param masterKeys newest first; the first one seals */
export function createStateSeal(masterKeys: readonly Uint8Array[], now: () => number): StateSeal {
  const keys = masterKeys.map((master) =>
    Buffer.from(hkdfSync("sha256", master, "", "patchbay sign-in v1", 32)),
  );
  const [current] = keys;
  if (current === undefined) throw new TypeError("There is no master key.");

  function opened(bytes: Buffer, key: Buffer): unknown {
    try {
      const cipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, nonceBytes));
      cipher.setAAD(authenticated);
      cipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
      const text = cipher.update(bytes.subarray(nonceBytes + tagBytes));
      cipher.final();
      return JSON.parse(text.toString("utf8"));
    } catch {
      return undefined;
    }
  }

  return {
    seal(state) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv("aes-256-gcm", current, nonce);
      cipher.setAAD(authenticated);
      const body = cipher.update(JSON.stringify(state), "utf8");
      cipher.final();
      return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString("base64url");
    },
    open(text) {
      if (text.length > maxLength) return undefined;
      const bytes = Buffer.from(text, "base64url");
      // Of its spellings only our own.
      if (bytes.length <= nonceBytes + tagBytes || bytes.toString("base64url") !== text) return undefined;
      for (const key of keys) {
        const result = v.safeParse(schema, opened(bytes, key));
        if (!result.success) continue;
        const age = now() - result.output.startedAt;
        return age >= -stateMs && age <= stateMs ? result.output : undefined;
      }
      return undefined;
    },
  };
}
