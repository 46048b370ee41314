/** Checks that a bulk or discovery can be stored for a schedule: schema, driver, size, reach, and no secrets. */

import { canonicalHost } from "../../api/identity.ts";
import { type BulkRequest, bulkRequest } from "../../api/jobs/request.ts";
import { requireScope } from "../../auth/caller.ts";
import { credentialRefusal, mayUseCredential } from "../../auth/credentials.ts";
import type { Caller, NamedHost } from "../../auth/port.ts";
import { refusalText } from "../../auth/reach.ts";
import { messageOf, ServiceError } from "../../base/errors.ts";
import { refuse, refuseAny } from "../../base/issues.ts";
import { isGiven, isRecord } from "../../base/json/members.ts";
import { someMember } from "../../base/json/walk.ts";
import { hasSecretQuery, maskUrls } from "../../base/net/url.ts";
import { isSecretName } from "../../base/secrets/secret-name.ts";
import { readSelector } from "../../inventory/selector/selector.ts";
import { credentialNamer } from "../../registry/named-credential.ts";
import { secretFieldsOf } from "../../registry/secret-fields.ts";
import { requireMeaning } from "../bulk/bulk-selection.ts";
import { type BulkLimits, requireBulkSize } from "../bulk/bulk-size.ts";
import { readDiscover } from "../bulk/discover.ts";
import { readTake } from "../bulk/take.ts";
import { isDryRun } from "../request/device/driver-facts.ts";
import { type ReachTools, reachCheck, urlHosts } from "../request/device/request-reach.ts";
import { deviceAt, deviceNamed, devicesFitting, type SelectionTools } from "../request/device/selection.ts";
import { type NamedTemplateTools, pinned, withUses } from "../request/named-templates.ts";
import { unknownDriver } from "../request/operation.ts";
import { needsChange } from "../request/push-gate.ts";
import { misplacedMembers } from "../request/unknown-members.ts";
import { checkShape, type Issue } from "../request/validate.ts";

export interface KeptCheckTools extends BulkLimits, ReachTools, SelectionTools, NamedTemplateTools {}

const maxPlaces = 20;
const message =
  "is a secret, which is not stored with requests that are submitted later: use a credential instead";

export function createKeptCheck({
  plugins,
  maxBulk,
  maxBulkBytes,
  inventory,
  store,
  ...reach
}: KeptCheckTools) {
  const nameCredential = credentialNamer(plugins);

  function readBulk(value: unknown): BulkRequest {
    const request = checkShape(bulkRequest, value);
    refuseAny(misplacedMembers(request, "bulk"));
    requireMeaning(request);
    requireBulkSize({ ...request, devices: request.devices ?? [] }, { maxBulk, maxBulkBytes });
    if (request.driver && !plugins.get("driver", request.driver))
      refuse([unknownDriver(request.driver, plugins)]);
    return request;
  }

  /** At each firing it is checked again: what a group says may come later. @throws ServiceError InUse */
  async function requirePushable(request: BulkRequest, caller: Caller): Promise<void> {
    const { config, driver_args, devices, select } = request;
    const pushes = [request, ...(devices ?? [])].some((one) => isGiven(one.config));
    if (!pushes || isDryRun(driver_args)) return;
    const snapshot = await inventory.snapshot();
    if (!snapshot.hasPushRules) return;
    const named = (devices ?? [])
      .filter((entry) => isGiven(entry.config) || (isGiven(config) && !isGiven(entry.command)))
      .map((entry) =>
        isGiven(entry.device)
          ? deviceNamed(snapshot, String(entry.device), caller)
          : (deviceAt(snapshot, entry, caller) ??
            snapshot.devicesAt(canonicalHost(String(entry.host ?? entry.hostname ?? "")))[0]),
      );
    const selected =
      isGiven(select) && isGiven(config) ? await devicesFitting(snapshot, select ?? "", caller) : [];
    const first = [...named, ...selected].find((device) => device?.change?.required === true);
    if (first !== undefined)
      throw new ServiceError("InUse", needsChange(first.name, first.changeFrom.required ?? ""));
  }

  return async (
    value: unknown,
    caller: Caller,
    of: "bulk" | "discovery" | "take" = "bulk",
  ): Promise<void> => {
    requireScope(caller, "operate");
    const bulk = of === "bulk" ? readBulk(value) : undefined;
    if (bulk !== undefined) await pinned({ store }, (change) => withUses(bulk, change));
    const request = bulk ?? (of === "take" ? readTake(value) : readDiscover(value, caller));
    if (request.select) readSelector(request.select);
    const isField = secretFieldsOf(plugins);
    const issues: Issue[] = [];
    walk(request, [], (path) => issues.push({ path, message }), isField);
    if (issues.length > 0) refuse(issues.slice(0, maxPlaces));
    // Else each firing would be refused, long after this answer.
    const named = placesOf(request, []);
    const refused = await reachCheck(reach, caller)({ ...named, credential: undefined });
    const outside = [...refused.hosts, ...refused.urls];
    if (outside.length > 0)
      refuse(outside.slice(0, maxPlaces).map((host) => ({ path: host.path, message: refusalText(host) })));
    for (const { path, reference } of named.credentials) {
      const credential = await nameCredential(reference).catch((error) =>
        refuse([{ path, message: messageOf(error) }]),
      );
      if (!mayUseCredential(caller, credential)) refuse([{ path, message: credentialRefusal(credential) }]);
    }
    // After what the caller may reach, so that nothing is told of other devices.
    if (bulk !== undefined) await requirePushable(bulk, caller);
  };
}

interface Places {
  readonly hosts: NamedHost[];
  readonly urls: NamedHost[];
  readonly credentials: { readonly path: string; readonly reference: Readonly<Record<string, unknown>> }[];
}

/** The hosts, addresses and credentials that a stored request names itself, wherever a request may name them. */
function placesOf(
  value: unknown,
  path: readonly (string | number)[],
  found: Places = { hosts: [], urls: [], credentials: [] },
) {
  if (Array.isArray(value)) value.forEach((member, at) => void placesOf(member, [...path, at], found));
  if (!isRecord(value)) return found;
  for (const [name, member] of Object.entries(value)) {
    const at = [...path, name.slice(0, 64)];
    const place = at.join(".");
    const isLogin = isConnection(path.map(String));
    if (isLogin && name === "credential" && isRecord(member))
      found.credentials.push({ path: place, reference: member });
    else if (isLogin && hostFields.has(name) && typeof member === "string")
      found.hosts.push({ path: place, host: member });
    else if (
      typeof member === "string" &&
      (name === "template" || (name === "url" && path.at(-1) === "webhook"))
    )
      found.urls.push(...urlHosts(place, member));
    // Variables of a template may have any names.
    else if (!(path.length === 0 && name === "config")) placesOf(member, at, found);
  }
  return found;
}

const hostFields = new Set(["host", "hostname", "proxy_host"]);

type IsField = ReturnType<typeof secretFieldsOf>;

function walk(
  value: unknown,
  path: readonly string[],
  report: (path: string) => void,
  isField: IsField,
): void {
  const place = path.join(".");
  if (typeof value === "string") {
    if (isSecretText(value, path)) report(place);
    return;
  }
  if (typeof value !== "object" || value === null) return;
  // A credential reference is not a secret.
  if (path.at(-1) === "credential") return;
  const dialogue = "hidden" in value && value.hidden === true;
  const unseen = dialogue ? ("reply" in value ? "reply" : "send") : undefined;
  for (const [name, member] of Object.entries(value)) {
    const at = [...path, name.slice(0, 64)];
    const isSecret =
      name === unseen ||
      (isSecretName(name) && holdsText(member)) ||
      (isConnection(path) && holdsText(member) && isField(name, member));
    if (isSecret) report(at.join("."));
    else walk(member, at, report, isField);
  }
}

/** `connection_args`, shared and per device. */
function isConnection(path: readonly string[]): boolean {
  return (path.length === 1 && path[0] === "connection_args") || (path.length === 2 && path[0] === "devices");
}

function isSecretText(text: string, path: readonly string[]): boolean {
  const webhook = path.indexOf("webhook");
  if (maskUrls(text) !== text) return true;
  // Any header may hold a token.
  const isHeader = path.slice(webhook + 1, -1).some((step) => /headers?$|^auth/i.test(step));
  return webhook >= 0 && (isHeader || hasSecretQuery(text));
}

function holdsText(value: unknown): boolean {
  if (typeof value === "string") return value !== "";
  return typeof value === "object" && value !== null && someMember(value, holdsText);
}
