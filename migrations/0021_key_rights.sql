ALTER TABLE `keys` ADD `rights` text;--> statement-breakpoint
UPDATE `keys` SET `rights` = '["history","history_secrets"]'
WHERE `name` = 'first' AND `scope` = 'admin' AND `hosts` = '[]'
	AND NOT EXISTS (SELECT 1 FROM `keys` `older` WHERE `older`.`created_at` < `keys`.`created_at`);
