//! The examples of the crate run, and what they assert holds.

macro_rules! examples {
    ($($name:ident, $test:ident, $path:literal;)+) => {
        $(
            #[path = $path]
            mod $name;

            #[test]
            fn $test() {
                $name::main().unwrap();
            }
        )+
    };
}

examples! {
    stack, the_stack_stands, "../../examples/stack.rs";
    rollback, the_rollback_has_the_bits_of_a_world_that_knew, "../../examples/rollback.rs";
    energy_audit, the_audit_adds_up, "../../examples/energy_audit.rs";
    pinball, the_ball_passes_all_gates, "../../examples/pinball.rs";
    arm, the_arm_follows_its_target, "../../examples/arm.rs";
    overhead, the_costs_are_measured, "../../tools/overhead.rs";
    sweep, the_sweep_has_the_closed_form, "../../examples/sweep.rs";
    lines, the_drawing_has_lines, "../../examples/lines.rs";
    one_way, the_filter_lets_pass_what_it_should, "../../examples/one_way.rs";
    character, the_character_climbs_pushes_and_is_held, "../../examples/character.rs";
    vehicle, the_car_drives_and_turns, "../../examples/vehicle.rs";
    rapier_primitives, the_shapes_come_to_rest, "../../examples/rapier_primitives.rs";
    rapier_restitution, the_balls_bounce_by_the_formula, "../../examples/rapier_restitution.rs";
    rapier_groups, the_layers_fall_apart, "../../examples/rapier_groups.rs";
    rapier_platform, the_platforms_carry, "../../examples/rapier_platform.rs";
    rapier_joints, the_chains_hold, "../../examples/rapier_joints.rs";
}
