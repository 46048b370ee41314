/**
 * A credential source over HTTP: `{"name": "kv-vault", "path": "core/r1"}` resolves to the fields stored at that path.
 */
import { defineCredentialSource, PluginError, secret, v } from "patchbay/plugin";

const kept = v.object({ data: v.record(v.string(), v.string()) });

export default defineCredentialSource({
  name: "kv-vault",
  version: "1.0.0",
  settings: v.object({
    url: v.optional(v.pipe(v.string(), v.url("must be a URL")), "http://127.0.0.1:8200"),
    token: v.optional(secret(v.string())),
    seconds: v.optional(v.pipe(v.number(), v.minValue(1), v.maxValue(60)), 5),
  }),
  reference: v.object({
    name: v.literal("kv-vault"),
    path: v.pipe(v.string(), v.regex(/^[\w-]+(?:\/[\w-]+)*$/, "must be a path such as core/r1")),
  }),

  async resolve({ reference, settings, http }, ctx) {
    const { status, body } = await http.request(
      `${settings.url}/v1/secret/${reference.path}`,
      {
        headers: settings.token === undefined ? {} : { "X-Vault-Token": settings.token.reveal() },
        timeoutMs: settings.seconds * 1000,
      },
      ctx,
    );
    if (status === 200) {
      const found = v.safeParse(kept, jsonOf(body));
      if (found.success) return found.output.data;
      throw new PluginError("DriverError", `The vault keeps no texts at ${reference.path}.`, {
        outcome: "none",
      });
    }
    const why = status === 404 ? `There is nothing at ${reference.path}` : `The vault answered ${status}`;
    throw new PluginError("DriverError", `${why}: ${body.slice(0, 200)}`, { outcome: "none" });
  },
});

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
