/** Effective settings with their origin, including those of plugins. */
import * as v from "valibot";
import { Table } from "../../parts/lists/table.tsx";
import { Problem } from "../../parts/problem.tsx";
import { ask } from "../../reading/api.ts";
import { useLoad } from "../../reading/load.ts";
import { plugin, setting } from "../../shapes/shapes.ts";
import { text } from "../../text/text.ts";

export function SettingsPage() {
  const serviceSettings = useLoad((signal) => ask(v.array(setting), "/settings", { signal }), []);
  const plugins = useLoad((signal) => ask(v.array(plugin), "/plugin", { signal }), []);
  const ofPlugins = (plugins.data ?? []).flatMap(({ name: of, settings }) =>
    settings.map((pluginSetting) => ({ ...pluginSetting, name: `plugins.${of}.${pluginSetting.name}` })),
  );
  return (
    <>
      <h1>{text.nav.settings}</h1>
      <p class="faint">{text.settingsHint}</p>
      <Problem error={serviceSettings.error ?? plugins.error} />
      {serviceSettings.data && (
        <Table
          caption={text.nav.settings}
          rows={serviceSettings.data}
          keyOf={({ name }) => name}
          empty={text.nothing.other}
          columns={[
            { head: "setting", cell: ({ name, variable }) => <code title={variable}>{name}</code> },
            { head: "value", long: true, cell: ({ value }) => <Value of={value} /> },
            { head: "from", cell: ({ origin }) => <Origin of={origin} /> },
            { head: "meaning", long: true, cell: ({ about }) => about },
          ]}
        />
      )}
      {ofPlugins.length > 0 && (
        <>
          <h2>{text.nav.plugins}</h2>
          <Table
            caption="Plugin settings"
            rows={ofPlugins}
            keyOf={({ name }) => name}
            empty={text.nothing.other}
            columns={[
              { head: "setting", cell: ({ name }) => <code>{name}</code> },
              { head: "value", long: true, cell: ({ value }) => <Value of={value} /> },
              { head: "from", cell: ({ origin }) => <Origin of={origin} /> },
            ]}
          />
        </>
      )}
    </>
  );
}

function Value({ of }: { of: string }) {
  return of === "" ? <span class="faint">–</span> : <code>{of}</code>;
}

/** Highlights settings that are not defaults. */
function Origin({ of }: { of: string }) {
  return of === "default" ? <span class="faint">{of}</span> : <strong>{of}</strong>;
}
