/** The connections of the client: how values are passed, and to which of several hosts they are made. */
import { once } from "node:events";
import { createConnection, Socket } from "node:net";
import postgres from "postgres";
import { neverAborted, within } from "../../../base/time/deadline.ts";
import type { Address } from "./address.ts";
import { createPrimary, type Place, type Primary, type Seen } from "./primary.ts";

/** Values are bound as the server reads them. It answers numbers as numbers, JSON as text. */
const types = {
  number: { to: 20, from: [20, 21, 23, 26, 700, 701, 1700], serialize: String, parse: Number },
  json: { to: 114, from: [114, 3802], serialize: String, parse: String },
  truth: { to: 16, from: [16], serialize: String, parse: (text: string) => text === "t" },
  bytes: {
    to: 17,
    from: [17],
    serialize: String,
    parse: (text: string) => Buffer.from(text.slice(2), "hex"),
  },
};

interface ConnectOptions {
  readonly max: number;
  readonly onnotice?: (notice: { readonly file?: string }) => void;
  /** A connection was lost, or could not be made. */
  readonly onclose?: () => void;
}

const connectSeconds = 5;
/** Statements that are sent before the answers to those before them; the types of the client do not name it. */
const pipeline: object = { max_pipeline: 1_000 };

/** The client reconnects by itself, for each statement; of several hosts to the one that is the primary then. */
export function connect(address: Address, options: ConnectOptions) {
  const [first = none] = address.hosts;
  if (address.hosts.length === 1) return connectTo(address, first, options);
  const primary = primaryOf(address);
  return connectTo(address, first, options, primary.find);
}

/**
 * One connection, never a second: the statements of a transaction are sent without waiting for each other, and none of
 * them may reach a server without those before it.
 */
export function connectOnce(address: Address, options: Omit<ConnectOptions, "max">) {
  const [first = none] = address.hosts;
  const find = address.hosts.length === 1 ? async () => first : primaryOf(address).find;
  let isUsed = false;
  return connectTo(address, first, { ...options, max: 1 }, () => {
    if (isUsed) return Promise.reject(new Error("the connection was lost"));
    isUsed = true;
    return find();
  });
}

/**
 * Several connections, until one of them is lost: the client would send on the next one first what it had not yet sent
 * on that one, before its greeting.
 */
export function connectUntilLost(address: Address, options: ConnectOptions) {
  const [first = none] = address.hosts;
  const find = address.hosts.length === 1 ? async () => first : primaryOf(address).find;
  let isLost = false;
  const onclose = () => {
    isLost = true;
    options.onclose?.();
  };
  return connectTo(address, first, { ...options, onclose }, () =>
    isLost ? Promise.reject(new Error("a connection was lost")) : find(),
  );
}

const none: Place = { host: "", port: 0 };

/** What is known of the hosts of an address is kept as long as the address is. */
const primaries = new WeakMap<Address, Primary>();

export function primaryOf(address: Address): Primary {
  const known = primaries.get(address);
  if (known !== undefined) return known;
  const primary = createPrimary(address.hosts, (place) => look(address, place));
  primaries.set(address, primary);
  return primary;
}

/** The first eight digits of the name of its log are the timeline. */
const self = `select (select system_identifier::text from pg_control_system()),
  case when pg_is_in_recovery() or current_setting('transaction_read_only')::boolean then 0
    else ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::bigint end,
  pg_postmaster_start_time()::text`;

async function look(address: Address, place: Place): Promise<Seen> {
  const session = connectTo(address, place, { max: 1 });
  try {
    const [row = []] = await session.unsafe(self).values();
    const [system, timeline, started] = row;
    return { system: String(system), timeline: Number(timeline), started: String(started) };
  } finally {
    await session.end({ timeout: 0 });
  }
}

/** The client itself would try several hosts without a pause, and fail no statement, as long as none is a primary. */
async function socketTo(find: () => Promise<Place>, isEnded: () => boolean): Promise<Socket> {
  try {
    const place = await find();
    const socket = await connected(place);
    if (isEnded()) {
      // The client would keep it open for ever.
      socket.destroy();
      throw new Error("the session has ended");
    }
    // The client checks the certificate for it.
    return Object.assign(socket, { host: place.host });
  } catch (error) {
    // The client waits for ever if it gets no socket.
    const dead = new Socket();
    const end = () => dead.destroy(error instanceof Error ? error : new Error(String(error)));
    // Its greeting, which it sends at the end of this turn, would otherwise stay for the next connection.
    setImmediate(() => setImmediate(end));
    return dead;
  }
}

/** The client writes to it at once, which a socket that is not yet connected does not always send in order. */
async function connected({ host, port }: Place): Promise<Socket> {
  const socket = host.startsWith("/")
    ? createConnection({ path: socketFile({ host, port }) })
    : createConnection({ host, port });
  const late = () => new Error(`${host} does not answer`);
  try {
    await within(once(socket, "connect"), connectSeconds * 1000, neverAborted, late);
    socket.setNoDelay(true);
    return gathering(socket);
  } catch (error) {
    socket.on("error", () => {});
    socket.destroy();
    throw error;
  }
}

/**
 * What is written in one turn is sent at once. The client sends a kilobyte at a time, which costs more than what is in it;
 * and the server would begin a transaction, and hold the lock, before it has its last statement.
 */
function gathering(socket: Socket): Socket {
  socket.write = new Proxy(socket.write, {
    apply(write, self, args) {
      if (socket.writableCorked === 0) {
        socket.cork();
        setImmediate(() => socket.uncork());
      }
      return Reflect.apply(write, self, args);
    },
  });
  return socket;
}

const socketFile = ({ host, port }: Place) => `${host}/.s.PGSQL.${port}`;

function connectTo(
  address: Address,
  place: Place,
  { max, onnotice = () => {}, onclose = () => {} }: ConnectOptions,
  find?: () => Promise<Place>,
) {
  const { database, user, password, tls, options } = address;
  // The client takes a way to make sockets, though its types do not say so.
  const way: object = find === undefined ? {} : { socket: () => socketTo(find, () => isEnded) };
  let isEnded = false;
  const session = postgres({
    ...(place.host.startsWith("/") && find === undefined ? { path: socketFile(place) } : place),
    ...way,
    ...{ database, user, ssl: tls, max, onnotice, onclose, types, ...pipeline },
    ...(password === undefined ? {} : { password: () => password.reveal() }),
    prepare: address.prepares,
    // Arrays are passed as texts, with their types in the statement.
    fetch_types: false,
    connect_timeout: connectSeconds,
    max_lifetime: null,
    backoff: (tries: number) => Math.min(1, 0.05 * 2 ** tries),
    connection: { application_name: "patchbay", ...(options === undefined ? {} : { options }) },
  });
  const { end } = session;
  return Object.assign(session, {
    end(how?: { timeout?: number }) {
      isEnded = true;
      return end(how);
    },
  });
}
