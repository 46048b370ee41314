CREATE INDEX `ledger_change` ON `ledger` (body ->> '$.change',`seq`) WHERE body ->> '$.change' is not null;
