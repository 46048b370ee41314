/** The ledger: what may have changed devices, who may act, what is trusted; lists, exports, verification. */
import * as v from "valibot";
import { momentParameter, textParameter } from "../../../api/filters.ts";
import {
  changedOutside,
  ledgerKinds,
  ledgerPublicKey,
  ledgerRecord,
  ledgerVerdict,
  ledgerVerifyRequest,
  signedCheckpoint,
} from "../../../api/ledger/ledger.ts";
import { described } from "../../../api/schema.ts";
import { shareOf } from "../../../auth/caller.ts";
import { ServiceError } from "../../../base/errors.ts";
import { successPage } from "../../answer/respond.ts";
import { sendBytes, slicesOf, whileAllowed } from "../../answer/send-answer.ts";
import { limitParameter, omitUndefined } from "../../query.ts";
import { bytes, route } from "../../route.ts";

const usualLimit = 100;
const scope = "admin";
const device = described(
  textParameter,
  "Of one device, by its inventory name; of jobs for a host, by its address",
);
const since = described(momentParameter, "At or after this time");
const until = described(momentParameter, "Before this time");
const limit = described(limitParameter, "Most entries of a page");
const cursor = described(textParameter, "Where to go on, as the page before said");

export const ledgerRoutes = [
  route({
    id: "listLedgerEntries",
    method: "GET",
    path: "/ledger",
    scope,
    summary: "List entries of the ledger, newest first",
    query: v.object({
      kind: described(textParameter, `Of one kind: ${Object.keys(ledgerKinds).join(", ")}`),
      device,
      actor: described(textParameter, "Of one actor, by name or by the id of the key"),
      job: described(textParameter, "Of one job, by its id"),
      ticket: described(textParameter, "With this ticket number"),
      change: described(textParameter, "Of one change, by its id: what persons did with it, and its pushes"),
      ...{ since, until, limit, cursor },
    }),
    answer: v.array(ledgerRecord),
    paged: true,
    async handle({ options, caller, reservation }, { limit = usualLimit, cursor, ...filter }) {
      reservation.hold(options.admission.lists.take(shareOf(caller)));
      const { items, next } = await options.ledger.list(omitUndefined(filter), caller, { limit, cursor });
      return successPage(items, next);
    },
  }),
  route({
    id: "getLedgerEntry",
    method: "GET",
    path: "/ledger/entry/:name",
    step: "Number of the entry",
    scope,
    summary: "Show an entry of the ledger",
    answer: ledgerRecord,
    async handle({ options, caller, name = "" }) {
      if (!/^[1-9]\d{0,14}$/.test(name)) throw new ServiceError("NotFound", "An entry is a number, from 1.");
      return options.ledger.entry(Number(name), caller);
    },
  }),
  route({
    id: "listChangesOutside",
    method: "GET",
    path: "/ledger/outside",
    scope,
    right: "history",
    summary: "List versions of configurations that no entry explains: somebody else changed the device",
    query: v.object({ device, since, until, limit, cursor }),
    answer: v.array(changedOutside),
    paged: true,
    async handle({ options, caller, reservation }, { limit = usualLimit, cursor, ...filter }) {
      reservation.hold(options.admission.lists.take(shareOf(caller)));
      const page = { limit, cursor };
      const { items, next } = await options.ledger.outside(omitUndefined(filter), caller, page);
      return successPage(items, next);
    },
  }),
  route({
    id: "exportLedger",
    method: "GET",
    path: "/ledger/export",
    scope,
    summary: "Export the ledger with its checkpoints as JSON lines, for verification anywhere",
    answer: described(bytes, "One JSON value per line: what it is, each checkpoint, each entry, the end"),
    stream: ["application/jsonl"],
    async handle(call) {
      const { options, caller, request, reservation } = call;
      reservation.hold(options.admission.lists.take(shareOf(caller)));
      const pieces = options.ledger.exported(caller, request.signal)[Symbol.asyncIterator]();
      // Awaited, so that a refusal gets a status.
      const first = await pieces.next();
      return sendBytes(whileAllowed(slicedOf(first, pieces), call), call, {
        headers: {
          "Content-Type": "application/jsonl; charset=utf-8",
          "Content-Disposition": 'attachment; filename="ledger.jsonl"',
        },
      });
    },
  }),
  route({
    id: "getLedgerCheckpoint",
    method: "GET",
    path: "/ledger/checkpoint",
    scope,
    summary: "Show the newest checkpoint of the ledger",
    answer: signedCheckpoint,
    handle: ({ options, caller }) => options.ledger.checkpoint(caller),
  }),
  route({
    id: "signLedgerCheckpoint",
    method: "POST",
    path: "/ledger/checkpoint",
    scope,
    summary: "Sign a checkpoint of the ledger now, unless the newest covers all entries",
    answer: signedCheckpoint,
    handle: ({ options, caller }) => options.ledger.signNow(caller),
  }),
  route({
    id: "getLedgerPublicKey",
    method: "GET",
    path: "/ledger/public-key",
    scope,
    summary: "Show the key that checkpoints are verified with",
    answer: ledgerPublicKey,
    handle: ({ options, caller }) => options.ledger.publicKey(caller),
  }),
  route({
    id: "verifyLedger",
    method: "POST",
    path: "/ledger/verify",
    scope,
    right: "history",
    summary: "Verify a piece of the ledger: entries, then pushes without an entry, then versions",
    body: ledgerVerifyRequest,
    answer: ledgerVerdict,
    fails: ["429"],
    async handle(call) {
      return call.options.ledger.verify(await call.body(), call.caller, call.request.signal);
    },
  }),
];

async function* slicedOf(
  first: IteratorResult<string>,
  pieces: AsyncIterator<string>,
): AsyncGenerator<Uint8Array> {
  try {
    for (let next = first; !next.done; next = await pieces.next()) yield* slicesOf(next.value);
  } finally {
    await pieces.return?.();
  }
}
