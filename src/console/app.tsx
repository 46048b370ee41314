/** The frame: navigation, what is wrong with the connection, and the view of the address. */
import type { ComponentType } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { logout, may, me, reachable, reachesAll, recall } from "./api.ts";
import { useStream } from "./live.ts";
import { AuditPage } from "./pages/audit.tsx";
import { BulkPage } from "./pages/bulk.tsx";
import { BulksPage } from "./pages/bulks.tsx";
import { CredentialsPage } from "./pages/credentials.tsx";
import { DiscoverPage } from "./pages/discover.tsx";
import { DevicePage, GroupPage } from "./pages/inventory-entry.tsx";
import { ImportPage } from "./pages/inventory-import.tsx";
import { DevicesPage, GroupsPage } from "./pages/inventory-lists.tsx";
import { JobPage } from "./pages/job.tsx";
import { JobsPage } from "./pages/jobs.tsx";
import { KeysPage } from "./pages/keys.tsx";
import { LicencesPage } from "./pages/licences.tsx";
import { Login } from "./pages/login.tsx";
import { OverviewPage } from "./pages/overview.tsx";
import { PluginsPage } from "./pages/plugins.tsx";
import { RunPage } from "./pages/run.tsx";
import { SchedulePage, SchedulesPage } from "./pages/schedules.tsx";
import { SettingsPage } from "./pages/settings.tsx";
import { SourcePage } from "./pages/source.tsx";
import { SourcesPage } from "./pages/sources.tsx";
import { TemplatesPage } from "./pages/templates.tsx";
import { WorkersPage } from "./pages/workers.tsx";
import { place, to } from "./route.ts";
import { text } from "./text.ts";

interface View {
  readonly title: string;
  readonly page: ComponentType<{ id: string }>;
  /** Shown in the navigation to those who may. */
  readonly scope?: "read" | "operate" | "admin";
  /** And only to keys that reach all hosts. */
  readonly everywhere?: true;
}

const views: Readonly<Record<string, View>> = {
  overview: { title: text.nav.overview, page: OverviewPage, scope: "read" },
  jobs: { title: text.nav.jobs, page: JobsPage, scope: "read" },
  job: { title: "Job", page: JobPage },
  bulks: { title: text.nav.bulks, page: BulksPage, scope: "read" },
  bulk: { title: "Bulk", page: BulkPage },
  run: { title: text.nav.run, page: RunPage, scope: "operate" },
  templates: { title: text.nav.templates, page: TemplatesPage, scope: "operate" },
  devices: { title: text.nav.devices, page: DevicesPage, scope: "read" },
  device: { title: "Device", page: DevicePage },
  groups: { title: text.nav.groups, page: GroupsPage, scope: "read" },
  group: { title: "Group", page: GroupPage },
  discover: { title: text.nav.discover, page: DiscoverPage, scope: "operate" },
  sources: { title: text.nav.sources, page: SourcesPage, scope: "admin", everywhere: true },
  source: { title: "Source", page: SourcePage },
  schedules: { title: text.nav.schedules, page: SchedulesPage, scope: "read" },
  schedule: { title: "Schedule", page: SchedulePage },
  import: { title: text.inventory.import, page: ImportPage },
  workers: { title: text.nav.workers, page: WorkersPage, scope: "read" },
  keys: { title: text.nav.keys, page: KeysPage, scope: "read" },
  credentials: { title: text.nav.credentials, page: CredentialsPage, scope: "admin", everywhere: true },
  audit: { title: text.nav.audit, page: AuditPage, scope: "admin" },
  plugins: { title: text.nav.plugins, page: PluginsPage, scope: "admin" },
  settings: { title: text.nav.settings, page: SettingsPage, scope: "admin", everywhere: true },
  licences: { title: text.nav.licences, page: LicencesPage, scope: "read" },
};

const againMs = 2_000;

export function App() {
  useEffect(() => {
    if (me.value !== undefined && reachable.value) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const find = () =>
      recall().catch(() => {
        timer = setTimeout(() => void find(), againMs);
      });
    void find();
    return () => clearTimeout(timer);
  }, [reachable.value]);
  if (me.value === undefined) return <p class="empty">{reachable.value ? text.loading : text.away}</p>;
  return (
    <>
      {!reachable.value && (
        <div class="away" role="status">
          {text.away}
        </div>
      )}
      {me.value === null ? <Login /> : <Frame />}
    </>
  );
}

function Frame() {
  const [name = "overview", id = ""] = place.value.steps;
  const view = views[name] ?? views.overview;
  const content = useRef<HTMLElement>(null);
  useStream();
  const address = `${name}/${id}`;
  useEffect(() => {
    document.title = `${id === "" ? view?.title : `${view?.title} ${id.slice(-12)}`} · ${text.name}`;
    content.current?.focus({ preventScroll: true });
  }, [address]);
  if (view === undefined) return null;
  const { page: Page } = view;
  return (
    <>
      <header>
        <button type="button" class="skip" onClick={() => content.current?.focus()}>
          {text.nav.skip}
        </button>
        <a class="brand" href={to(["overview"])}>
          {text.name}
        </a>
        <nav aria-label="Pages">
          {Object.entries(views).map(
            ([step, { title, scope, everywhere }]) =>
              scope !== undefined &&
              may(scope) &&
              (!everywhere || reachesAll()) && (
                <a key={step} href={to([step])} aria-current={step === name ? "page" : undefined}>
                  {title}
                </a>
              ),
          )}
          <a href="/docs">{text.nav.docs}</a>
        </nav>
        <Account />
      </header>
      <main ref={content} tabIndex={-1}>
        <Page id={id} key={address} />
      </main>
    </>
  );
}

function Account() {
  const session = me.value;
  if (!session) return null;
  const reach = session.hosts.length === 0 ? "" : ` · ${session.hosts.join(", ")}`;
  return (
    <div class="account">
      <span title={`scope ${session.scope}${reach}`}>{session.key}</span>
      <button type="button" class="quiet" onClick={() => void logout()}>
        {text.nav.logout}
      </button>
    </div>
  );
}
