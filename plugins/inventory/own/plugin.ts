/** Formats `json` and `yaml`: the inventory's own form. */
import { defineInventoryFormat } from "patchbay/plugin";

export default [
  defineInventoryFormat({
    name: "json",
    exports: { type: "application/json", name: "inventory.json" },
    load: async () => ({ default: (await import("./own.ts")).jsonFormat }),
  }),
  defineInventoryFormat({
    name: "yaml",
    exports: { type: "application/yaml", name: "inventory.yaml" },
    load: async () => ({ default: (await import("./own.ts")).yamlFormat }),
  }),
];
