ALTER TABLE `change_targets` ADD `open` text;
