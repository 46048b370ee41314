/** A source of the inventory over REST: `{"kind": "acme-cmdb", "url": "https://cmdb.example", "site": "berlin"}`. */
import { defineInventorySource, InventoryError, inventoryTextLimits, v } from "patchbay/plugin";

const page = v.object({
  next: v.nullable(v.number()),
  assets: v.array(
    v.object({
      hostname: v.string(),
      address: v.string(),
      model: v.optional(v.string()),
      retired: v.optional(v.boolean(), false),
    }),
  ),
});

/** Models of the CMDB, and the platforms that they run. */
const platforms: Readonly<Record<string, string>> = { switch: "cisco_ios", firewall: "fortinet" };

export default defineInventorySource({
  name: "acme-cmdb",
  version: "1.0.0",
  schemes: ["https:", "http:"],
  gives: "devices",
  settings: v.object({ seconds: v.optional(v.pipe(v.number(), v.minValue(1), v.maxValue(60)), 10) }),
  options: v.object({
    site: v.nullish(
      v.pipe(v.string("must be a string"), v.regex(/^[\w-]{1,64}$/, "must be the name of a site")),
    ),
  }),

  async fetch({ url, verify, options, settings, login, http }, ctx) {
    const api = await http.session(
      {
        base: url,
        headers: login.token === undefined ? {} : { Authorization: `Bearer ${login.token}` },
        timeoutMs: settings.seconds * 1000,
        tls: { verify },
      },
      ctx,
    );
    const devices: { name: string; host: string; platform?: string; enabled: boolean }[] = [];
    let unknown = 0;
    try {
      for (let next: number | null = 1; next !== null; ) {
        const answer: unknown = await api.getJson(
          "/assets",
          { site: options.site ?? undefined, page: next },
          ctx,
        );
        const read = v.safeParse(page, answer);
        if (!read.success)
          throw new InventoryError("ParseError", "The CMDB answered with something else than assets.");
        for (const { hostname, address, model, retired } of read.output.assets) {
          const platform = model === undefined ? undefined : platforms[model];
          if (platform === undefined) unknown++;
          devices.push({
            name: hostname,
            host: address,
            ...(platform ? { platform } : {}),
            enabled: !retired,
          });
        }
        // A list without an end would be read until the deadline.
        if (devices.length > inventoryTextLimits.devices || (read.output.next ?? Infinity) <= next)
          throw new InventoryError("ParseError", "The pages of the CMDB have no end.");
        next = read.output.next;
      }
    } finally {
      await api.close();
    }
    return {
      devices,
      warnings: unknown === 0 ? [] : [`devices of an unknown model have no platform (${unknown})`],
    };
  },
});
