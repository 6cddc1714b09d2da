"""One file for each measure: its NAME, the ROLES of the contestants that it needs, and run(stage), which returns sections."""
