/** API keys, for those who may manage them, and login sessions. */
import { useState } from "preact/hooks";
import * as v from "valibot";
import { newKeyRequest } from "../../../api/access/key.ts";
import { Action } from "../../parts/action.tsx";
import { Adding } from "../../parts/forms/adding.tsx";
import { RecordForm } from "../../parts/forms/record-form.tsx";
import { filtered, Mine } from "../../parts/lists/mine.tsx";
import { Table } from "../../parts/lists/table.tsx";
import { NewKey } from "../../parts/new-key.tsx";
import { Problem } from "../../parts/problem.tsx";
import { When } from "../../parts/when.tsx";
import { ask, may, reachesAll } from "../../reading/api.ts";
import { useLoad } from "../../reading/load.ts";
import { key, madeKey, session, submitterText } from "../../shapes/shapes.ts";
import { labelOf } from "../../text/labels.ts";
import { text } from "../../text/text.ts";
import { fitsScope } from "./my-keys.tsx";

/** As the header names them, and in words; a browser's header names others after it, too. */
const browsers = {
  Edg: "Edge",
  OPR: "Opera",
  Firefox: "Firefox",
  Chrome: "Chrome",
  CriOS: "Chrome",
  Safari: "Safari",
};
const systems = ["Android", "iPhone", "iPad", "Windows", "Mac OS", "CrOS", "Linux"];

/** `Firefox, Windows`; a program as it names itself. */
function browserOf(agent: string | null): string | null {
  const found = Object.entries(browsers).find(([mark]) => agent?.includes(`${mark}/`));
  const system = systems.find((mark) => agent?.includes(mark));
  return found ? [found[1], system].filter(Boolean).join(", ") : agent;
}

export function KeysPage() {
  const manages = may("admin") && reachesAll();
  const path = filtered("/key");
  const keys = useLoad(
    async (signal) => (manages ? ask(v.array(key), path, { signal }) : undefined),
    [manages, path],
  );
  const [made, setMade] = useState<v.InferOutput<typeof madeKey>>();
  const sessions = useLoad((signal) => ask(v.array(session), "/session", { signal }), []);
  const revoke = (id: string) => async () => {
    await ask(v.unknown(), `/key?id=${encodeURIComponent(id)}`, { method: "DELETE" });
    keys.reload();
  };
  const end = (id: string) => async () => {
    await ask(v.unknown(), `/session/${encodeURIComponent(id)}`, { method: "DELETE" });
    sessions.reload();
  };
  return (
    <>
      <h1>{text.nav.keys}</h1>
      <Problem error={keys.error ?? sessions.error} />
      {manages && (
        <Adding label={text.myKeys.make} beside={<Mine />}>
          {(done) => (
            <RecordForm
              entries={newKeyRequest.entries}
              label={text.myKeys.make}
              required={["name"]}
              known={{ credentials: ["file:*"] }}
              fits={fitsScope}
              save={async (body) => {
                setMade(await ask(madeKey, "/key", { method: "POST", body }));
                keys.reload();
                done();
              }}
            />
          )}
        </Adding>
      )}
      {made && <NewKey made={made} />}
      {keys.data && (
        <Table
          tools
          caption="API keys"
          rows={keys.data}
          keyOf={({ id }) => id}
          empty={text.nothing.other}
          columns={[
            { head: "name", cell: ({ name }) => name },
            { head: "scope", cell: ({ scope }) => scope },
            { head: "rights", long: true, cell: ({ rights }) => rights.map(labelOf).join(", ") },
            { head: "recipes", cell: ({ recipes }) => recipes?.join(", ") },
            { head: "hosts", long: true, cell: ({ hosts }) => hosts.join(", ") || "all" },
            { head: "state", cell: ({ state }) => labelOf(state) },
            { head: "created", at: ({ created_at }) => created_at },
            { head: "by", cell: ({ submitted_by }) => submitterText(submitted_by) },
            { head: "last used", at: ({ last_used_at }) => last_used_at },
            {
              head: "expires",
              cell: ({ expires_at }) => (expires_at === null ? "never" : <When at={expires_at} />),
            },
            {
              head: "",
              cell: ({ id, name, state }) =>
                state === "in_force" && <Action label="Revoke" sure={`Revoke ${name}?`} act={revoke(id)} />,
            },
          ]}
        />
      )}
      <h2>Sessions</h2>
      {sessions.data && (
        <Table
          caption="Sessions"
          rows={sessions.data}
          keyOf={({ id }) => id}
          empty={text.nothing.other}
          columns={[
            {
              head: "key",
              cell: (session) => `${session.person ?? session.key}${session.current ? " (this one)" : ""}`,
            },
            { head: "from", cell: ({ address }) => address ?? "a socket" },
            { head: "browser", cell: ({ agent }) => <span title={agent ?? ""}>{browserOf(agent)}</span> },
            { head: "started", at: ({ created_at }) => created_at },
            { head: "last seen", at: ({ last_seen_at }) => last_seen_at },
            {
              head: "",
              cell: ({ id, current }) =>
                !current && <Action label="End" sure="End this session?" act={end(id)} />,
            },
          ]}
        />
      )}
    </>
  );
}
