/** The systemd unit: its own account, write access to its data only, and no privileges. */
import { account, dataDir, type Layout, secretsFile, settingsFile } from "./layout.ts";

export function unitText({ program }: Layout): string {
  return `# Created by \`patchbay install\`. Put changes into a drop-in: systemctl edit patchbay
[Unit]
Description=Patchbay, network device automation over an HTTP API
Wants=network-online.target
After=network-online.target time-sync.target

[Service]
Type=notify
NotifyAccess=main
ExecStart=${program} serve --config ${settingsFile}
ExecReload=/bin/kill -HUP $MAINPID
Environment=PATCHBAY_DATA_DIR=${dataDir} PATCHBAY_LOG_FORMAT=json
EnvironmentFile=-${secretsFile}
WorkingDirectory=${dataDir}
User=${account}
Group=${account}
StateDirectory=patchbay
StateDirectoryMode=0700
RuntimeDirectory=patchbay
RuntimeDirectoryMode=0750
UMask=0077
Restart=always
RestartSec=2
# A store that is away is waited for.
TimeoutStartSec=infinity
# Running jobs get drain_seconds (30) to end.
TimeoutStopSec=60
KillMode=mixed
WatchdogSec=60
LimitNOFILE=65536

# Nothing of the system may be changed, and little of it is seen.
NoNewPrivileges=yes
CapabilityBoundingSet=
AmbientCapabilities=
ProtectSystem=strict
ProtectHome=yes
PrivateTmp=yes
PrivateDevices=yes
PrivateMounts=yes
ProtectClock=yes
ProtectControlGroups=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectProc=invisible
RemoveIPC=yes
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallFilter=~@privileged @resources
SystemCallErrorNumber=EPERM
# MemoryDenyWriteExecute is not set: the runtime compiles what it runs.

[Install]
WantedBy=multi-user.target
`;
}
