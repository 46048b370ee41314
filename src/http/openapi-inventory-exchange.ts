/** Imports and exports of the inventory, as OpenAPI describes them. */
import { templateWarnings } from "./openapi-answers.ts";
import { bytes } from "./openapi-files.ts";
import { refTo } from "./openapi-schema.ts";
import { importQuery, inventoryExportQuery } from "./query-exchange.ts";

export const inventoryExchangePaths = {
  "/inventory/import": {
    post: {
      summary: "Take devices and groups from the text of another tool, all of it or nothing",
      data: refTo("UpsertAnswer"),
      query: importQuery,
      beside: templateWarnings,
      text: true,
      fails: ["400", "413", "415", "422"],
    },
  },
  "/inventory/export": {
    get: {
      summary: "Devices and groups as the text of another tool",
      data: { ...bytes, description: "By `format`" },
      stream: ["text/csv", "application/yaml", "application/json", "text/plain"],
      query: inventoryExportQuery,
      fails: ["422"],
    },
  },
} as const;
