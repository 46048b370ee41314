/** Plugins, loaded and refused. */
import * as v from "valibot";
import { byName } from "../../names.ts";
import { Table } from "../../parts/lists/table.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Signed } from "../../parts/status.tsx";
import { ask } from "../../reading/api.ts";
import { useLoad } from "../../reading/load.ts";
import { plugin } from "../../shapes/shapes.ts";
import { text } from "../../text/text.ts";

/** Rows of a kind that are shown without unfolding it. */
const unfolded = 30;

type Plugin = v.InferOutput<typeof plugin>;

const words = text.plugins;
const isBuiltin = ({ origin }: Plugin) => origin === "builtin";
const isRefused = ({ refused }: Plugin) => refused !== null;
/** Refused ones may have no kind. */
const kindOf = (of: Plugin) => (isRefused(of) ? words.refused : (of.kind ?? ""));
/** What one has to act on, then what was added here, then what every service has. */
const rankOf = (of: Plugin) => (isRefused(of) ? 0 : isBuiltin(of) ? 2 : 1);

export function PluginsPage() {
  const { data = [], error } = useLoad((signal) => ask(v.array(plugin), "/plugin", { signal }), []);
  const rows = data.toSorted((a, b) => rankOf(a) - rankOf(b) || byName(a.name, b.name));
  // Kinds stay in the order of the service, whatever comes first in each.
  const kinds = [...new Set([...rows.filter(isRefused), ...data].map(kindOf))];
  const refused = data.filter(isRefused).length;
  return (
    <>
      <h1>{text.nav.plugins}</h1>
      <Problem error={error} />
      {data.length > 0 && (
        <p>
          {data.length - refused} {words.loaded}
          {refused > 0 && `, ${refused} ${words.refused}`}
        </p>
      )}
      {kinds.map((kind) => (
        <Kind key={kind} name={kind} rows={rows.filter((one) => kindOf(one) === kind)} />
      ))}
    </>
  );
}

/** Few are shown; many, such as the platforms, unfold. */
function Kind({ name, rows }: { readonly name: string; readonly rows: readonly Plugin[] }) {
  return (
    <details open={rows.length <= unfolded} class="kind">
      <summary>
        {name} ({rows.length})
      </summary>
      <Table
        stacks={false}
        caption={`Plugins: ${name}`}
        rows={rows}
        keyOf={(one) => `${one.name} ${one.origin}`}
        empty=""
        columns={[
          { head: "name", cell: ({ name }) => name },
          { head: "kind", cell: (of) => (isRefused(of) ? of.kind : null) },
          {
            head: "state",
            cell: (of) =>
              isRefused(of) ? (
                <Signed sign="✕" of={words.refused} like="failed" />
              ) : (
                <Signed sign="✓" of={words.loaded} like="finished" />
              ),
          },
          { head: "version", cell: (of) => of.version ?? (isBuiltin(of) ? words.ofProgram : null) },
          { head: "from", long: true, cell: (of) => (isBuiltin(of) ? null : of.origin) },
          { head: "reason", long: true, cell: ({ refused }) => refused },
        ]}
      />
    </details>
  );
}
