/** Builds the request of a retry: kept requests with their secrets and the overrides of the retry. */
import * as v from "valibot";
import type { Body } from "../../api/body.ts";
import { defaultTtl } from "../../api/jobs/request.ts";
import type { JobRetryRequest } from "../../api/jobs/retry.ts";
import { refuse } from "../../base/issues.ts";
import { RawJson } from "../../base/json/json.ts";
import { jsonWithRaw } from "../../base/json/json-pieces.ts";
import { isRecord } from "../../base/json/members.ts";
import type { KeptJob, StoredBulk } from "../../store/port.ts";
import type { ChosenEntry } from "../bulk/bulk-selection.ts";
import type { Plugins } from "../request/device/connection.ts";
import { requestFields } from "../request/request-summary.ts";
import type { TemplateMembers } from "../request/template-members.ts";
import type { Issue } from "../request/validate.ts";
import {
  type KeptDocument,
  mergedMembers,
  overlayIssues,
  readKept,
  readSecrets,
  restored,
} from "./kept-restore.ts";

/** Kept secrets as JSON: shared by a bulk, and of one job. */
export interface KeptSecrets {
  readonly shared?: unknown;
  readonly own?: unknown;
}

type Fields = Record<string, unknown>;

const notKept = { path: "", message: "the request was not stored: submit it again" };
const tagList = v.array(v.string());

/** @throws ServiceError Validation with all that is missing, by field */
export function jobBody(
  job: KeptJob,
  shared: string | undefined,
  retryRequest: JobRetryRequest,
  { secrets, plugins }: { readonly secrets: KeptSecrets; readonly plugins: Plugins },
): { body: Body; members: TemplateMembers | undefined } {
  if (job.retryRequest === null || (job.bulkId !== null && shared === undefined)) return refuse([notKept]);
  const ownDocument = readKept(job.retryRequest);
  const common = shared === undefined ? undefined : readKept(shared);
  requireSecretsOnly(retryRequest, [ownDocument, ...(common ? [common] : [])], [job.driver], plugins);
  const restoredOwn = restored(ownDocument, retryRequest, secretList(secrets.own));
  // Own values of a device replace shared ones.
  const restoredShared =
    common && restored(withoutReplaced(common, ownDocument), retryRequest, secretList(secrets.shared));
  const issues = [...restoredOwn.issues, ...(restoredShared?.issues ?? [])];
  if (issues.length > 0) refuse(issues);
  const request: Fields = { driver: job.driver, ...restoredShared?.request, ...restoredOwn.request };
  request.connection_args = {
    ...fieldsOf(restoredShared?.request.connection_args),
    ...fieldsOf(restoredOwn.request.connection_args),
  };
  const summary = requestFields(job.asked, null, false);
  const note = "note" in summary && typeof summary.note === "string" ? summary.note : null;
  const purpose = purposeOf({ ...job, note });
  const ttl = job.bulkId === null ? undefined : defaultTtl.bulk;
  return {
    body: bodyOf(withRetryRequest(request, retryRequest, purpose, ttl)),
    members: ownDocument.members,
  };
}

/** The devices in the order of the jobs. @throws ServiceError Validation with all that is missing, by field */
export function bulkBody(
  bulk: StoredBulk,
  jobs: readonly KeptJob[],
  shared: string,
  retryRequest: JobRetryRequest,
  { secrets, plugins }: { readonly secrets: ReadonlyMap<string, KeptSecrets>; readonly plugins: Plugins },
): { body: Body; chosen: ChosenEntry[] } {
  const common = readKept(shared);
  const ownDocuments = jobs.map((job) => ({ job, own: readKept(job.retryRequest ?? "{}") }));
  const drivers = [...new Set(jobs.map(({ driver }) => driver))];
  requireSecretsOnly(retryRequest, [common, ...ownDocuments.map(({ own }) => own)], drivers, plugins);
  // Shared secrets were kept with each job: take any.
  const [withShared] = jobs.map(({ id }) => secrets.get(id)).filter((entry) => entry?.shared !== undefined);
  const isReplaced = ownDocuments.every(({ own }) => hasWork(own));
  const restoredShared = restored(
    isReplaced ? withoutWork(common) : common,
    retryRequest,
    secretList(withShared?.shared),
  );
  const entries = ownDocuments.map(({ job, own }) =>
    restored(own, retryRequest, secretList(secrets.get(job.id)?.own)),
  );
  const issues = distinct([...restoredShared.issues, ...entries.flatMap((entry) => entry.issues)]);
  if (issues.length > 0) refuse(issues);
  const replacedFields = Object.keys({
    ...retryRequest.connection_args,
    ...(retryRequest.credential ? { credential: 0 } : {}),
  });
  const devices = entries.map(({ request: { connection_args, ...work } }) => {
    const connection = Object.entries(fieldsOf(connection_args)).filter(
      ([name]) => !replacedFields.includes(name),
    );
    return jsonWithRaw({ ...Object.fromEntries(connection), ...work });
  });
  const tags = bulk.tags === null ? null : JSON.stringify(bulk.tags);
  const request = {
    ...withRetryRequest(restoredShared.request, retryRequest, purposeOf({ ...bulk, tags })),
    concurrency: bulk.concurrency,
    max_failures: bulk.maxFailures,
    order: bulk.order,
  };
  const chosen = ownDocuments.map(({ job, own }) => ({
    device: job.device ?? undefined,
    driver: job.driver,
    members: own.members,
  }));
  return { body: bodyOf({ ...request, devices: new RawJson(`[${devices.join(",")}]`) }), chosen };
}

function requireSecretsOnly(
  retryRequest: JobRetryRequest,
  documents: readonly KeptDocument[],
  drivers: readonly string[],
  plugins: Plugins,
): void {
  const missing = documents.flatMap((document) => document.missing);
  const overrides = drivers.flatMap((driver) => plugins.get("driver", driver)?.overrides ?? []);
  const issues = overlayIssues(retryRequest, missing, overrides);
  if (issues.length > 0) refuse(issues);
}

function withRetryRequest(
  request: Fields,
  { connection_args, credential, driver_args, options }: JobRetryRequest,
  purpose: Fields,
  ttl?: number,
): Fields {
  const { webhook: _webhook, ...otherOptions } = options ?? {};
  const reference = credential ? { credential } : {};
  const args = mergedMembers(fieldsOf(request.driver_args), driver_args);
  return {
    ...request,
    connection_args: mergedMembers(fieldsOf(request.connection_args), { ...connection_args, ...reference }),
    ...(Object.keys(args).length > 0 ? { driver_args: args } : {}),
    options: {
      ttl,
      ...purpose,
      ...fieldsOf(request.options),
      ...Object.fromEntries(Object.entries(otherOptions).filter(([, value]) => value !== undefined)),
    },
  };
}

interface PurposeFields {
  readonly label: string | null;
  readonly ticket: string | null;
  readonly note: string | null;
  readonly tags: string | null;
}

function purposeOf({ label, ticket, note, tags }: PurposeFields): Fields {
  return { label, ticket, note, tags: tags === null ? null : v.parse(tagList, JSON.parse(tags)) };
}

function bodyOf(request: Fields): Body {
  const text = jsonWithRaw(request);
  return { text, value: JSON.parse(text) };
}

function hasWork({ request }: KeptDocument): boolean {
  return request.command !== undefined || request.config !== undefined;
}

function withoutReplaced(common: KeptDocument, ownDocument: KeptDocument): KeptDocument {
  const owned = new Set(Object.keys(fieldsOf(ownDocument.request.connection_args)));
  const rest = hasWork(ownDocument) ? withoutWork(common) : common;
  const isReplaced = ([first, second]: readonly (string | number)[]) =>
    first === "connection_args" && owned.has(String(second));
  return { ...rest, missing: rest.missing.filter((place) => !isReplaced(place)) };
}

function withoutWork({ request, missing }: KeptDocument): KeptDocument {
  const { command: _command, config: _config, ...rest } = request;
  const isWork = ([first]: readonly (string | number)[]) => first === "command" || first === "config";
  return { request: rest, context: undefined, missing: missing.filter((place) => !isWork(place)) };
}

function fieldsOf(value: unknown): Fields {
  return isRecord(value) ? value : {};
}

function secretList(value: unknown) {
  return value === undefined ? [] : readSecrets(JSON.stringify(value));
}

function distinct(issues: readonly Issue[]): Issue[] {
  return [...new Map(issues.map((issue) => [issue.path, issue])).values()];
}
