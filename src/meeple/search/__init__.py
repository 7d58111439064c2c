"""Engines that look ahead."""
