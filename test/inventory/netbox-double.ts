/** A strict NetBox fake for reading devices: path, token, filters, pages, response format. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface NetboxDevice {
  readonly name: string | null;
  readonly ip?: string;
  readonly status?: string;
  readonly platform?: string;
  readonly site?: string;
  readonly role?: string;
  readonly tags?: readonly string[];
  readonly custom_fields?: Readonly<Record<string, unknown>>;
}

export interface NetboxDouble {
  readonly url: string;
  readonly token: string;
  devices: NetboxDevice[];
  machines: NetboxDevice[];
  /** Requested paths with their queries. */
  readonly seen: string[];
  /** Origin in `next` instead of its own, as behind a proxy. */
  nextOrigin: string | undefined;
  /** Replaces the response to the next request. */
  broken: string | undefined;
  close(): Promise<void>;
}

const paths = ["/api/dcim/devices/", "/api/virtualization/virtual-machines/"];
const filters = ["site", "role", "status", "tag", "platform", "name", "has_primary_ip"];
const ordinary = ["limit", "offset", "exclude", "ordering", "q"];
const maxPerPage = 1_000;

export async function startNetbox(token = "0123456789abcdef0123456789abcdef01234567"): Promise<NetboxDouble> {
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  const double: NetboxDouble = {
    url: `http://127.0.0.1:${port}`,
    token,
    devices: [],
    machines: [],
    seen: [],
    nextOrigin: undefined,
    broken: undefined,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    double.seen.push(request.url ?? "");
    const { status, body } = bodyOf(request, double);
    response.writeHead(status, { "Content-Type": "application/json", "API-Version": "4.2" });
    const text = double.broken ?? JSON.stringify(body);
    double.broken = undefined;
    // In chunks, yielding to other work between them.
    for (let at = 0; at < text.length; at += 4_096) {
      response.write(text.slice(at, at + 4_096));
      await new Promise((turn) => setImmediate(turn));
    }
    response.end();
  }

  return double;
}

function bodyOf(request: IncomingMessage, double: NetboxDouble): { status: number; body: unknown } {
  const url = new URL(request.url ?? "/", double.url);
  const { authorization, accept } = request.headers;
  const wanted = double.token.startsWith("nbt_") ? `Bearer ${double.token}` : `Token ${double.token}`;
  if (authorization === undefined)
    return { status: 403, body: { detail: "Authentication credentials were not provided." } };
  if (authorization !== wanted) return { status: 403, body: { detail: "Invalid token" } };
  if (!paths.includes(url.pathname)) return { status: 404, body: { detail: "Not found." } };
  if (request.method !== "GET" || accept !== "application/json")
    return { status: 406, body: { detail: "Not acceptable." } };
  const unknown = [...url.searchParams.keys()].filter((name) => ![...filters, ...ordinary].includes(name));
  if (unknown.length > 0) return { status: 400, body: { [unknown[0] ?? ""]: ["Unknown filter."] } };
  const isMachine = url.pathname === paths[1];
  const listed = isMachine ? double.machines.map(machine) : double.devices.map(shown);
  const fitting = listed.filter((device) => fits(device, url.searchParams));
  const limit = Math.min(Number(url.searchParams.get("limit") ?? 50) || maxPerPage, maxPerPage);
  const offset = Number(url.searchParams.get("offset") ?? 0);
  const next = new URL(url);
  if (double.nextOrigin !== undefined) next.host = new URL(double.nextOrigin).host;
  next.searchParams.set("limit", String(limit));
  next.searchParams.set("offset", String(offset + limit));
  return {
    status: 200,
    body: {
      count: fitting.length,
      next: offset + limit < fitting.length ? next.href : null,
      previous: null,
      results: fitting.slice(offset, offset + limit),
    },
  };
}

const nested = (slug: string | undefined) =>
  slug === undefined ? null : { id: 1, url: "http://x/", display: slug.toUpperCase(), name: slug, slug };

function shown(
  {
    name,
    ip,
    status = "active",
    platform,
    site = "berlin",
    role = "access",
    tags = [],
    custom_fields = {},
  }: NetboxDevice,
  at: number,
) {
  return {
    id: at + 1,
    url: `http://x/api/dcim/devices/${at + 1}/`,
    display: name ?? `Unnamed ${at + 1}`,
    name,
    device_type: { id: 1, manufacturer: nested("cisco"), model: "C9300", slug: "c9300" },
    role: nested(role),
    tenant: null,
    platform: nested(platform),
    serial: "",
    site: nested(site),
    status: { value: status, label: status },
    primary_ip: ip === undefined ? null : { id: 1, family: { value: 4, label: "IPv4" }, address: ip },
    tags: tags.map(nested),
    custom_fields,
    config_template: null,
    local_context_data: null,
  };
}

/** Without rack fields; a VM's site may come from its cluster, and is then null here. */
function machine(one: NetboxDevice, at: number) {
  const { device_type: _type, ...rest } = shown(one, at);
  return { ...rest, cluster: { id: 1, name: "c1" }, vcpus: 2, memory: 4_096 };
}

function fits(
  device: Pick<ReturnType<typeof shown>, "site" | "role" | "status">,
  query: URLSearchParams,
): boolean {
  const any = (name: string, value: string | undefined) =>
    !query.has(name) || query.getAll(name).includes(value ?? "");
  return (
    any("site", device.site?.slug) && any("role", device.role?.slug) && any("status", device.status.value)
  );
}
