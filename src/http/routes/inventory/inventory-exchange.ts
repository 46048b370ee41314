/** The inventory in the formats of other tools: import and export. */

import * as v from "valibot";
import { isTrue, truths } from "../../../api/filters.ts";
import { upsertAnswer, upsertModes, upsertWords } from "../../../api/inventory/inventory.ts";
import { described, texts } from "../../../api/schema.ts";
import { shareOf } from "../../../auth/caller.ts";
import { inventoryTextLimits } from "../../../base/inventory-limits.ts";
import { refuse } from "../../../base/issues.ts";
import { stringifyExact } from "../../../base/json/exact-json.ts";
import { rawData } from "../../answer/json-data.ts";
import { sendBytes, sendData, slicesOf, whileAllowed } from "../../answer/send-answer.ts";
import { bytes, route } from "../../route.ts";

const text = (maxLength: number, description: string) =>
  v.optional(
    described(
      v.pipe(
        v.string(),
        v.nonEmpty("must not be empty"),
        v.maxLength(maxLength, `must have at most ${maxLength} characters`),
      ),
      description,
    ),
  );
const count = (description: string) =>
  v.optional(
    v.pipe(
      v.string(),
      v.regex(/^\d{1,9}$/, "must be a whole number"),
      v.description(description),
      v.transform(Number),
    ),
  );
const truth = (description: string) =>
  v.optional(described(v.picklist(truths, "must be one of true, false"), description));
const columns = {
  delimiter: text(
    8,
    "The column delimiter, for formats in columns; CSV finds out whether it is a comma, a semicolon or a tab",
  ),
  map: text(256, "For formats in columns without a header: comma-separated column names"),
};

export const dryRunParameter = truth(upsertWords.dry_run);
/** Beside the data of an import or sync. */
export const leftOut = v.object({
  warnings: v.exactOptional(described(texts, "Entries and values that were left out.")),
});

const importQuery = v.object({
  format: v.string(),
  mode: v.optional(
    described(v.picklist(upsertModes, `must be one of ${upsertModes.join(", ")}`), upsertWords.mode),
    "merge",
  ),
  create_groups: truth(upsertWords.create_groups),
  dry_run: dryRunParameter,
  max_changes: count(upsertWords.max_changes),
  max_removals: count(upsertWords.max_removals),
  ...columns,
});
const exportQuery = v.object({
  format: v.optional(v.string(), "json"),
  group: text(128, "Members of this group, or of a group below it"),
  select: text(4_096, "A selector of devices"),
  ...columns,
});

/** @throws ServiceError Validation */
function formatIn<F extends { readonly name: string }>(formats: readonly F[], name: string): F {
  const names = formats.map((format) => format.name);
  return (
    formats.find((format) => format.name === name) ??
    refuse([{ path: "format", message: `must be one of ${names.join(", ")}` }])
  );
}

const named = (name: string) => ({ name });

export const exchangeRoutes = [
  route({
    id: "importInventory",
    method: "POST",
    path: "/inventory/import",
    grows: true,
    scope: "admin",
    summary: "Import devices and groups in a format of another tool, atomically",
    query: importQuery,
    varies: ({ formats }) => ({
      query: v.object({
        ...importQuery.entries,
        format: described(
          v.picklist(formats.filter(({ imports }) => imports).map(({ name }) => name)),
          "Format of the text",
        ),
      }),
    }),
    takes: "text",
    answer: upsertAnswer,
    beside: leftOut,
    async handle(call, query) {
      const { format, mode, create_groups, dry_run, max_changes, max_removals, ...columns } = query;
      const { inventoryExchange } = call.options;
      formatIn(inventoryExchange.formats().imports.map(named), format);
      const text = await call.text(inventoryTextLimits.bytes);
      const options = {
        mode,
        createGroups: isTrue(create_groups),
        dryRun: isTrue(dry_run),
        maxChanges: max_changes,
        maxRemovals: max_removals,
        ...columns,
      };
      const { signal } = call.request;
      const { answer, warnings } = await inventoryExchange.importText(
        format,
        text,
        options,
        call.caller,
        signal,
      );
      return sendData(rawData(stringifyExact(answer)), call, { warnings });
    },
  }),
  route({
    id: "exportInventory",
    method: "GET",
    path: "/inventory/export",
    scope: "read",
    summary: "Export devices and groups in a format of another tool",
    query: exportQuery,
    varies: ({ formats }) => ({
      query: v.object({
        ...exportQuery.entries,
        format: v.optional(
          described(
            v.picklist(formats.filter(({ exports }) => exports !== undefined).map(({ name }) => name)),
            "Format of the file",
          ),
          "json",
        ),
      }),
      stream: [...new Set(formats.flatMap(({ exports }) => (exports === undefined ? [] : [exports.type])))],
    }),
    answer: described(bytes, "In the requested `format`"),
    stream: ["text/plain"],
    async handle(call, { format, group, select, ...columns }) {
      const { admission, inventoryExchange } = call.options;
      const { type, file } = formatIn(inventoryExchange.formats().exports, format);
      call.reservation.hold(admission.lists.take(shareOf(call.caller)));
      const filter = { group, select, signal: call.request.signal };
      const pieces = await inventoryExchange.exportText(format, filter, columns, call.caller);
      return sendBytes(whileAllowed(bytesOf(pieces), call), call, {
        headers: {
          "Content-Type": `${type}; charset=utf-8`,
          "Content-Disposition": `attachment; filename="${file}"`,
        },
      });
    },
  }),
];

async function* bytesOf(pieces: AsyncGenerator<string>): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) yield* slicesOf(piece);
}
