/** Plugins, loaded and rejected. */
import * as v from "valibot";
import { Table } from "../../parts/lists/table.tsx";
import { Problem } from "../../parts/problem.tsx";
import { ask } from "../../reading/api.ts";
import { useLoad } from "../../reading/load.ts";
import { plugin } from "../../shapes/shapes.ts";
import { text } from "../../text/text.ts";

/** Rows of a kind that are shown without unfolding it. */
const unfolded = 30;

/** A plugin that was refused may have no kind. */
const kindOf = ({ kind }: v.InferOutput<typeof plugin>) => kind ?? "refused";

export function PluginsPage() {
  const { data, error } = useLoad((signal) => ask(v.array(plugin), "/plugin", { signal }), []);
  return (
    <>
      <h1>{text.nav.plugins}</h1>
      <Problem error={error} />
      {[...new Set(data?.map(kindOf))].map((kind) => (
        <Kind key={kind} name={kind} rows={data?.filter((one) => kindOf(one) === kind) ?? []} />
      ))}
    </>
  );
}

/** Few are shown; many, such as the platforms, unfold. */
function Kind({
  name,
  rows,
}: {
  readonly name: string;
  readonly rows: readonly v.InferOutput<typeof plugin>[];
}) {
  return (
    <details open={rows.length <= unfolded}>
      <summary>
        {name} ({rows.length})
      </summary>
      {rows.length > 0 && (
        <Table
          stacks={false}
          caption={`Plugins: ${name}`}
          rows={rows}
          keyOf={(one) => one.name}
          empty={text.nothing.other}
          columns={[
            { head: "name", cell: ({ name }) => name },
            { head: "version", cell: ({ version }) => version },
            { head: "refused: reason", cell: ({ refused }) => refused },
          ]}
        />
      )}
    </details>
  );
}
