ALTER TABLE `drift_results` ADD `told` text;--> statement-breakpoint
ALTER TABLE `drift_results` ADD `again` text;--> statement-breakpoint
CREATE INDEX `drift_results_again` ON `drift_results` (`again`) WHERE again is not null;--> statement-breakpoint
CREATE TRIGGER `drift_results_told` AFTER UPDATE OF `told` ON `drift_results`
WHEN new.told IS NOT old.told AND (old.told IS NOT NULL OR new.told <> 'compliant')
	AND EXISTS (SELECT 1 FROM `webhooks`) BEGIN
	INSERT INTO `notices` (`id`, `kind`, `subject`, `at`, `detail`)
	VALUES (lower(hex(randomblob(16))),
		CASE new.told WHEN 'drifted' THEN 'drift.found' WHEN 'compliant' THEN 'drift.gone' ELSE 'drift.unknown' END,
		new.device, new.checked_at, new.intent);
END;
--> statement-breakpoint
CREATE TRIGGER `drift_results_rounds` AFTER UPDATE OF `rounds` ON `drift_results`
WHEN new.rounds >= 3 AND old.rounds < 3 AND EXISTS (SELECT 1 FROM `webhooks`) BEGIN
	INSERT INTO `notices` (`id`, `kind`, `subject`, `at`, `detail`)
	VALUES (lower(hex(randomblob(16))), 'drift.needs_person', new.device, new.checked_at, new.intent);
END;
--> statement-breakpoint
CREATE TRIGGER `drift_due_of_suspect` AFTER INSERT ON `config_versions`
WHEN new.state = 'suspect' AND new.part IN ('running', 'set') AND EXISTS (
	SELECT 1 FROM `drift_results` WHERE device = (SELECT `name` FROM `config_devices` WHERE id = new.device)) BEGIN
	INSERT INTO `drift_due` (`device`, `mark`)
	SELECT `name`, 1 FROM `config_devices` WHERE id = new.device
	ON CONFLICT (`device`) DO UPDATE SET `mark` = `mark` + 1, `taken_t` = 0;
END;
--> statement-breakpoint
CREATE TRIGGER `drift_due_of_reading` AFTER UPDATE OF `taken_at` ON `config_devices`
WHEN EXISTS (SELECT 1 FROM `drift_results` WHERE device = new.name AND told = 'unknown') BEGIN
	INSERT INTO `drift_due` (`device`, `mark`) VALUES (new.name, 1)
	ON CONFLICT (`device`) DO UPDATE SET `mark` = `mark` + 1, `taken_t` = 0;
END;
--> statement-breakpoint
CREATE TRIGGER `drift_due_of_removed` AFTER UPDATE OF `own` ON `inventory_devices`
WHEN new.own IS NULL AND EXISTS (SELECT 1 FROM `drift_results` WHERE device = new.name) BEGIN
	INSERT INTO `drift_due` (`device`, `mark`) VALUES (new.name, 1)
	ON CONFLICT (`device`) DO UPDATE SET `mark` = `mark` + 1, `taken_t` = 0;
END;
--> statement-breakpoint
CREATE TRIGGER `drift_due_of_change` AFTER UPDATE OF `ended_at` ON `changes`
WHEN new.ended_at IS NOT NULL AND EXISTS (SELECT 1 FROM `drift_results` WHERE again = new.id) BEGIN
	INSERT INTO `drift_due` (`device`, `mark`) SELECT DISTINCT `device`, 1 FROM `drift_results` WHERE again = new.id
	ON CONFLICT (`device`) DO UPDATE SET `mark` = `mark` + 1, `taken_t` = 0;
END;
