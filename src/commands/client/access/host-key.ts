/** `patchbay host-key`: lists the host keys of devices, forgets them, and accepts that of a replaced device. */
import type { Command } from "commander";
import { plural } from "../../../client/output/numbers.ts";
import { forgottenHostKeys, type HostKey, hostKeyList } from "../../../client/service/answers.ts";
import type { ServerFlags } from "../../../client/service/server.ts";
import { clockTime } from "../jobs/jobs.ts";
import { clientCommand, openSession, runToExit, withServer } from "../parts/action.ts";
import { type Columns, type FormFlags, printList, withForms } from "../parts/lists.ts";

interface HostKeyFlags extends ServerFlags, FormFlags {
  readonly host?: string;
  readonly port?: string;
}

const columns: Columns<HostKey> = {
  host: ({ host, port, via }) => [`${host}:${port}`, ...via].join(" via "),
  type: ({ type }) => type,
  fingerprint: ({ fingerprint }) => fingerprint,
  seen: ({ seen_at }) => clockTime(seen_at),
  "presented now": ({ offered }) => (offered ? `${offered.type} ${offered.fingerprint}` : ""),
};

export function defineHostKey(parent: Command): void {
  const group = parent.command("host-key").description("the host keys of devices, as learned by the service");
  const list = clientCommand(group, "list", "list the known keys, and what hosts presented in place of them");
  withForms(withServer(list.option("--host <host>", "of one device"))).action((flags: HostKeyFlags) =>
    runToExit(async (surroundings) => {
      const { api, terminal } = openSession(flags, surroundings);
      const keys = await api.call("/host-key", hostKeyList, { query: { host: flags.host } });
      await printList(keys, columns, flags, terminal);
      return 0;
    }),
  );
  const forget = clientCommand(group, "forget <host>", "forget them: the next key is trusted on first use");
  withServer(forget.option("--port <port>", "only of this port")).action(
    (host: string, flags: HostKeyFlags) =>
      runToExit(async (surroundings) => {
        const { api, terminal } = openSession(flags, surroundings);
        const options = { method: "DELETE", query: { port: flags.port } } as const;
        const { forgotten } = await api.call(
          `/host-key/${encodeURIComponent(host)}`,
          forgottenHostKeys,
          options,
        );
        terminal.note(`${plural(forgotten, "key")} forgotten.`);
        return 0;
      }),
  );
  const accept = clientCommand(
    group,
    "accept <host> <fingerprint>",
    "accept the key that a replaced device presents; compare it with the device first",
  );
  withServer(accept.option("--port <port>", "only of this port")).action(
    (host: string, fingerprint: string, flags: HostKeyFlags) =>
      runToExit(async (surroundings) => {
        const { api, terminal } = openSession(flags, surroundings);
        const body = { fingerprint, port: flags.port };
        const path = `/host-key/${encodeURIComponent(host)}/accept`;
        await api.call(path, hostKeyList, { method: "POST", body });
        terminal.note(`${fingerprint} is the key of ${host} now.`);
        return 0;
      }),
  );
}
