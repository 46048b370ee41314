/** Plugins, loaded and rejected. */
import * as v from "valibot";
import { ask } from "../api.ts";
import { useLoad } from "../load.ts";
import { Problem } from "../parts/problem.tsx";
import { Table } from "../parts/table.tsx";
import { plugin } from "../shapes.ts";
import { text } from "../text.ts";

export function PluginsPage() {
  const { data, error } = useLoad((signal) => ask(v.array(plugin), "/plugin", { signal }), []);
  return (
    <>
      <h1>{text.nav.plugins}</h1>
      <Problem error={error} />
      {data && (
        <Table
          caption={text.nav.plugins}
          rows={data}
          keyOf={({ name, kind }) => `${kind} ${name}`}
          empty={text.nothing.other}
          columns={[
            { head: "kind", cell: ({ kind }) => kind },
            { head: "name", cell: ({ name }) => name },
            { head: "version", cell: ({ version }) => version },
            { head: "refused: reason", cell: ({ refused }) => refused },
          ]}
        />
      )}
    </>
  );
}
