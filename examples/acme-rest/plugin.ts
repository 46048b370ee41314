/** A vendor managed over HTTP in the style of RESTCONF: GET reads a path, PATCH changes the configuration. */
import { defineDriver, PluginError, secret, v } from "patchbay/plugin";

const config = v.object({ lines: v.array(v.string()) });

export default defineDriver({
  name: "acme-rest",
  version: "1.0.0",
  settings: v.object({
    /** Devices use self-signed certificates. */
    verify: v.optional(v.boolean(), true),
    scheme: v.optional(v.picklist(["https", "http"]), "https"),
  }),
  connection: v.object({
    host: v.string(),
    port: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(65_535)), 443),
    token: secret(v.string()),
  }),
  query: v.object({ depth: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1)), 1) }),
  configure: v.object({ replace: v.optional(v.boolean(), false) }),
  strategy: "fifo",
  target: ({ host, port }) => ({ host, port }),
  commands: "names",
  // Reads are idempotent.
  repeatable: (operation) => operation === "query",
  // Called before a push with checks: its changes can be undone.
  undo: () => "replace",

  async open({ connection, settings, http }, ctx) {
    const { host, port, token } = connection;
    const api = await http.session(
      {
        base: `${settings.scheme}://${host}:${port}/restconf`,
        headers: { Authorization: `Bearer ${token.reveal()}` },
        tls: { verify: settings.verify },
      },
      ctx,
    );
    // Detects a wrong token here, not in the middle of a push.
    await api.getJson("/login", undefined, ctx);
    return {
      query: (path, { depth }, ctx) => api.getJson(pathOf(path), { depth }, ctx),
      configure: (lines, { replace }, ctx) => {
        const body = lines.join("\n");
        return replace ? api.put("/config", body, ctx) : api.patch("/config", body, ctx);
      },
      // A push with checks: restores the previous configuration if one of them fails.
      async change(lines, { replace }, ctx) {
        const { lines: before } = v.parse(config, await api.getJson("/data/config", undefined, ctx));
        const body = lines.join("\n");
        const output = await (replace ? api.put("/config", body, ctx) : api.patch("/config", body, ctx));
        return {
          output,
          how: "replace",
          confirm: async () => {},
          undo: (ctx) => api.put("/config", before.join("\n"), ctx),
        };
      },
      describe: async (ctx) => ({ host, version: String(await api.get("/version", undefined, ctx)) }),
      close: () => api.close(),
    };
  },
});

function pathOf(command: unknown): string {
  if (typeof command === "string") return `/data/${command}`;
  throw new PluginError("DriverError", "A path asks nothing back: give commands as texts.", {
    outcome: "none",
  });
}
