/** POST /inventory/import, GET /inventory/export: the inventory in the formats of other tools. */

import { type InventoryExportFormat, importBytes } from "../../api/inventory-text.ts";
import { stringifyExact } from "../../base/json/exact-json.ts";
import type { Call } from "../call.ts";
import { rawData } from "../json-data.ts";
import { isTrue, queryOf } from "../query.ts";
import { importQuery, inventoryExportQuery } from "../query-exchange.ts";
import { sendBytes, sendData, slicesOf, whileAllowed } from "../send-answer.ts";

export async function importInventory(call: Call): Promise<Response> {
  const { format, mode, create_groups, dry_run, max_changes, max_removals, ...columns } = queryOf(
    importQuery,
    call.url,
  );
  const text = await call.text(importBytes);
  call.extendTimeout();
  const { answer, warnings } = await call.options.inventoryExchange.importText(
    format,
    text,
    {
      mode,
      createGroups: isTrue(create_groups),
      dryRun: isTrue(dry_run),
      maxChanges: max_changes,
      maxRemovals: max_removals,
      ...columns,
    },
    call.caller,
    call.request.signal,
  );
  return sendData(rawData(stringifyExact(answer)), call, { warnings });
}

const files: Record<InventoryExportFormat, readonly [type: string, name: string]> = {
  csv: ["text/csv", "inventory.csv"],
  yaml: ["application/yaml", "inventory.yaml"],
  json: ["application/json", "inventory.json"],
  nornir: ["application/json", "nornir.json"],
  ansible: ["application/yaml", "hosts.yaml"],
  oxidized: ["text/plain", "router.db"],
};

export async function exportInventory(call: Call): Promise<Response> {
  const { format, group, select, ...columns } = queryOf(inventoryExportQuery, call.url);
  const { admission, inventoryExchange } = call.options;
  call.reservation.hold(admission.lists.take(call.caller.keyId));
  call.extendTimeout();
  const { signal } = call.request;
  const pieces = await inventoryExchange.exportText(format, { group, select, signal }, columns, call.caller);
  const [type, name] = files[format];
  return sendBytes(whileAllowed(bytesOf(pieces), call), call, {
    headers: {
      "Content-Type": `${type}; charset=utf-8`,
      "Content-Disposition": `attachment; filename="${name}"`,
    },
  });
}

async function* bytesOf(pieces: AsyncGenerator<string>): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) yield* slicesOf(piece);
}
