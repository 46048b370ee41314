/** Imports and exports of an inventory, with the parser that the service runs in a process. */

import type { ImportFormat, InventoryExportFormat } from "../../src/api/inventory-text.ts";
import type { Caller } from "../../src/auth/port.ts";
import { readInventoryText } from "../../src/executor/inventory-text.ts";
import { createExchange } from "../../src/inventory/exchange.ts";
import type { ColumnOptions } from "../../src/inventory/exchange-port.ts";
import type { Inventory } from "../../src/inventory/port.ts";
import { admin } from "./support.ts";

const { signal } = new AbortController();

export function exchangeOf(inventory: Inventory) {
  const exchange = createExchange({
    inventory,
    read: async ({ format, text, delimiter, map }) =>
      readInventoryText({
        kind: "inventory",
        format,
        text,
        ...(delimiter === undefined ? {} : { delimiter }),
        ...(map === undefined ? {} : { map }),
      }),
  });
  return {
    take: (format: ImportFormat, text: string, options = {}) =>
      exchange.importText(format, text, options, admin, signal),
    async give(
      format: InventoryExportFormat,
      { caller = admin, group, ...columns }: { caller?: Caller; group?: string } & ColumnOptions = {},
    ) {
      let text = "";
      for await (const piece of await exchange.exportText(format, { group }, columns, caller)) text += piece;
      return text;
    },
  };
}
