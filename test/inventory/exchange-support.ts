/** Imports and exports of an inventory, with the parser that the service runs in a process. */

import type { Caller } from "../../src/auth/port.ts";
import { createExchange } from "../../src/inventory/exchange/exchange.ts";
import type { ColumnOptions } from "../../src/inventory/exchange/port.ts";
import type { Inventory } from "../../src/inventory/port.ts";
import { formatList, readInventoryText, writeFormat } from "./formats.ts";
import { admin } from "./support.ts";

const { signal } = new AbortController();

export function exchangeOf(inventory: Inventory) {
  const exchange = createExchange({
    inventory,
    read: async ({ format, text, delimiter, map }) =>
      readInventoryText({
        kind: "inventory",
        ...(format === undefined ? {} : { format }),
        text,
        ...(delimiter === undefined ? {} : { delimiter }),
        ...(map === undefined ? {} : { map }),
      }),
    write: writeFormat,
    formats: () => formatList,
  });
  return {
    take: (format: string, text: string, options = {}) =>
      exchange.importText(format, text, options, admin, signal),
    async give(
      format: string,
      { caller = admin, group, ...columns }: { caller?: Caller; group?: string } & ColumnOptions = {},
    ) {
      let text = "";
      for await (const piece of await exchange.exportText(format, { group }, columns, caller)) text += piece;
      return text;
    },
  };
}
