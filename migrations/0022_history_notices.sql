ALTER TABLE `config_devices` ADD `failed_job_id` text;--> statement-breakpoint
CREATE INDEX `notices_id` ON `notices` (`id`);--> statement-breakpoint
CREATE INDEX `notices_kind` ON `notices` (`kind`,`n`);--> statement-breakpoint
CREATE TRIGGER `config_versions_notice` AFTER INSERT ON `config_versions`
WHEN new.source <> 'import' AND EXISTS (SELECT 1 FROM `webhooks`)
	AND (new.state = 'suspect' OR (new.part = 'running' AND EXISTS (SELECT 1 FROM `config_versions` `earlier`
		WHERE `earlier`.device = new.device AND `earlier`.part = new.part AND `earlier`.state = 'good'
			AND `earlier`.n < new.n))) BEGIN
	INSERT INTO `notices` (`id`, `kind`, `subject`, `at`)
	VALUES (lower(hex(randomblob(16))), CASE new.state WHEN 'good' THEN 'history.changed' ELSE 'history.suspect' END,
		CAST(new.n AS text), new.taken_at);
END;
--> statement-breakpoint
CREATE TRIGGER `config_devices_notice` AFTER UPDATE OF `failed_at` ON `config_devices`
WHEN old.failed_at IS NULL AND new.failed_at IS NOT NULL AND new.taken_at IS NOT NULL
	AND EXISTS (SELECT 1 FROM `webhooks`) BEGIN
	INSERT INTO `notices` (`id`, `kind`, `subject`, `at`)
	VALUES (lower(hex(randomblob(16))), 'history.failed', CAST(new.id AS text), new.failed_at);
END;
